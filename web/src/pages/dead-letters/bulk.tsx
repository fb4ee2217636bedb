import { useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { toastError, useAct, useGet } from '../../api/hooks';
import { Button, Card, Failed, Field } from '../../components/basics';
import { Dialog } from '../../components/dialog';
import { Go } from '../../components/go';
import { Status } from '../../components/status';
import { isBatchOpen } from '../../lib/words';
import { t } from '../../messages/en';

type Filter = Schemas['BulkFilter'];
type Verb = 'requeue' | 'archive';

interface Preview {
  verb: Verb;
  count: number;
  samples: Schemas['DeadLetter'][];
}

/** Requeues or archives everything that the filters match: first a dry run, then with a rate, then with progress. */
export function BulkPanel({ query }: { query: Record<string, string | undefined> }) {
  const filter = { ...query } as Filter;
  const isAll = Object.keys(query).length === 0;
  const [preview, setPreview] = useState<Preview | null>(null);
  const [batch, setBatch] = useState<string | null>(null);
  const [busy, setBusy] = useState<Verb | null>(null);
  const dryRun = async (verb: Verb) => {
    setBusy(verb);
    try {
      const body = { filter, all: isAll, dryRun: true };
      const counted =
        verb === 'requeue'
          ? await call('post', '/v1/dead-letters/requeue', { body })
          : await call('post', '/v1/dead-letters/archive', { body: { ...body, reason: t.dead.dryRun } });
      const { items } = await call('get', '/v1/dead-letters', {
        query: { status: 'open', ...query, limit: 10 } as never,
      });
      setPreview({ verb, count: 'count' in counted ? counted.count : 0, samples: items });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(null);
    }
  };
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Button small busy={busy === 'requeue'} onClick={() => void dryRun('requeue')}>
          {isAll ? t.dead.requeueAll : t.dead.requeueMatching}
        </Button>
        <Button small busy={busy === 'archive'} onClick={() => void dryRun('archive')}>
          {isAll ? t.dead.archiveAll : t.dead.archiveMatching}
        </Button>
      </div>
      {batch && <Progress id={batch} />}
      <Dialog
        title={preview ? t.dead.bulkTitle[preview.verb](preview.count) : ''}
        open={preview !== null}
        onClose={() => setPreview(null)}
        wide
      >
        {preview && (
          <BulkForm
            preview={preview}
            filter={filter}
            isAll={isAll}
            onBatch={(id) => {
              setBatch(id);
              setPreview(null);
            }}
          />
        )}
      </Dialog>
    </>
  );
}

function BulkForm({
  preview,
  filter,
  isAll,
  onBatch,
}: {
  preview: Preview;
  filter: Filter;
  isAll: boolean;
  onBatch: (id: string) => void;
}) {
  const [limit, setLimit] = useState('');
  const [rate, setRate] = useState('');
  const [stopAt, setStopAt] = useState('');
  const [reason, setReason] = useState('');
  const onDone = (answer: Schemas['Batch'] | Schemas['BulkCount']) => {
    if ('id' in answer) onBatch(answer.id);
  };
  const requeue = useAct('post', '/v1/dead-letters/requeue', { onDone, quiet: true });
  const archive = useAct('post', '/v1/dead-letters/archive', { onDone, quiet: true });
  const bounds = {
    ...(limit ? { limit: Number(limit) } : {}),
    ...(rate ? { ratePerSecond: Number(rate) } : {}),
    ...(stopAt ? { stopOnFailureRate: Number(stopAt) / 100 } : {}),
  };
  const submit = () => {
    const body = { filter, all: isAll, ...bounds };
    if (preview.verb === 'requeue') requeue.mutate({ body });
    else archive.mutate({ body: { ...body, reason } });
  };
  const error = requeue.error ?? archive.error;
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className="text-soft">{t.dead.samples(preview.samples.length, preview.count)}</p>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {preview.samples.map((letter) => (
          <li key={letter.id} className="flex gap-3 px-3 py-1.5 text-[13px]">
            <span className="shrink-0">{letter.jobType}</span>
            <span className="min-w-0 flex-1 truncate font-mono text-bad">{letter.error.message}</span>
            <span className="shrink-0 text-soft">{letter.tenant}</span>
          </li>
        ))}
      </ul>
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label={t.dead.canary} hint={t.dead.canaryHint}>
          <input
            className="field"
            inputMode="numeric"
            pattern="[0-9]*"
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
          />
        </Field>
        <Field label={t.dead.rate} hint={t.dead.rateHint}>
          <input
            className="field"
            inputMode="numeric"
            pattern="[0-9]*"
            value={rate}
            onChange={(event) => setRate(event.target.value)}
          />
        </Field>
        <Field label={t.dead.stopAt} hint={t.dead.stopAtHint}>
          <input
            className="field"
            inputMode="numeric"
            pattern="[0-9]*"
            value={stopAt}
            onChange={(event) => setStopAt(event.target.value)}
          />
        </Field>
      </div>
      {preview.verb === 'archive' && (
        <Field label={t.dead.archiveReason}>
          <input
            className="field"
            required
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
      )}
      {error && <Failed error={error} />}
      <div className="flex justify-end">
        <Button
          look={preview.verb === 'archive' ? 'danger' : 'main'}
          type="submit"
          busy={requeue.isPending || archive.isPending}
          disabled={preview.count === 0}
        >
          {t.dead.bulkGo[preview.verb]}
        </Button>
      </div>
    </form>
  );
}

/** How far a batch is, with the way to stop it. */
export function Progress({ id }: { id: string }) {
  const { data: batch } = useGet('/v1/batches/{id}', { path: { id } }, { every: 1_000 });
  const abort = useAct('post', '/v1/batches/{id}/abort', { done: t.dead.aborted });
  if (!batch) return null;
  const part = batch.total > 0 ? Math.round(((batch.done + batch.failed) / batch.total) * 100) : 100;
  return (
    <Card className="mb-3">
      <div className="flex flex-wrap items-center gap-3">
        <Status status={batch.status} />
        <span className="nums">{t.dead.progress(batch.done, batch.failed, batch.total)}</span>
        <progress
          className="h-2 min-w-32 flex-1 accent-(--accent)"
          max={100}
          value={part}
          aria-label={t.dead.progressLabel}
        />
        {isBatchOpen(batch.status) && (
          <Button small look="danger" busy={abort.isPending} onClick={() => abort.mutate({ path: { id } })}>
            {t.dead.abort}
          </Button>
        )}
        <Go to="/dead-letters" search={{ view: 'list', status: 'requeued' }}>
          {t.dead.affected}
        </Go>
      </div>
    </Card>
  );
}
