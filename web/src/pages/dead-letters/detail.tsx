import { useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useMay } from '../../api/session';
import { Button, Card, FactList, Failed, Field, Loading, Mono, PageHead } from '../../components/basics';
import { Code } from '../../components/code';
import { CopyMenu, Id } from '../../components/copy';
import { Dialog } from '../../components/dialog';
import { Go } from '../../components/go';
import { JsonView } from '../../components/json-view';
import { Status, Tag } from '../../components/status';
import { Time } from '../../components/time';
import { cli } from '../../lib/commands';
import { shortId } from '../../lib/ids';
import { parseJson, writeJson, type Json } from '../../lib/json';
import { PRIORITIES } from '../../lib/words';
import { t } from '../../messages/en';
import { Attempts, ErrorCard } from '../jobs/detail';
import { AuditSlice } from '../system/audit-entry';

type DeadLetter = Schemas['DeadLetter'];

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { data: letter, error } = useGet('/v1/dead-letters/{id}', { path: { id } });
  if (error && !letter) return <Failed error={error} />;
  if (!letter) return <Loading />;
  return (
    <>
      <PageHead
        crumbs={{ to: '/dead-letters', label: t.dead.title }}
        title={
          <span className="flex flex-wrap items-center gap-3">
            {letter.jobType} <Status status={letter.status} />
          </span>
        }
        intro={<Id id={letter.id} />}
      >
        <Actions letter={letter} />
      </PageHead>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]">
        <div className="min-w-0 space-y-4">
          <ErrorCard error={letter.error} />
          <Card title={t.job.data}>
            <JsonView value={letter.data} label={t.job.data} />
          </Card>
        </div>
        <div className="min-w-0 space-y-4">
          <Attempts attempts={letter.attempts ?? []} />
          <Card title={t.job.facts}>
            <FactList
              facts={[
                [t.dead.reason, t.dead.reasons[letter.reason] ?? letter.reason],
                [
                  t.dead.fingerprint,
                  <Go key="f" to="/dead-letters" search={{ view: 'list', fingerprint: letter.fingerprint }}>
                    <Mono>{letter.fingerprint}</Mono>
                  </Go>,
                ],
                [
                  t.jobs.id,
                  <Go key="j" to={`/jobs/${letter.jobId}`}>
                    <Mono>{shortId(letter.jobId)}</Mono>
                  </Go>,
                ],
                [t.jobs.queue, t.queues[letter.queue] ?? letter.queue],
                [t.jobs.tenant, letter.tenant],
                [t.jobs.priority, letter.priority],
                [
                  t.jobs.workflow,
                  letter.workflow && <Go to={`/workflows/${letter.workflow}`}>{letter.workflow}</Go>,
                ],
                [
                  t.jobs.execution,
                  letter.executionId && (
                    <Go
                      to={`/executions/${letter.executionId}`}
                      search={letter.nodeId ? { node: letter.nodeId } : {}}
                    >
                      <Mono>{shortId(letter.executionId)}</Mono>
                    </Go>
                  ),
                ],
                [t.jobs.node, letter.nodeId],
                [t.dead.died, <Time key="d" at={letter.diedAt} full />],
                [t.dead.resolved, letter.resolvedAt && <Time at={letter.resolvedAt} full />],
                [t.dead.archiveReason, letter.archiveReason && <Tag>{letter.archiveReason}</Tag>],
              ]}
            />
          </Card>
          <AuditSlice subject={letter.id} />
        </div>
      </div>
    </>
  );
}

function Actions({ letter }: { letter: DeadLetter }) {
  const mayOperate = useMay('operate');
  const [shown, setShown] = useState<'requeue' | 'archive' | null>(null);
  const close = () => setShown(null);
  const isOpen = letter.status === 'open';
  return (
    <>
      {mayOperate && isOpen && (
        <>
          <Button look="main" icon="refresh" onClick={() => setShown('requeue')}>
            {t.dead.editAndRequeue}
          </Button>
          <Button onClick={() => setShown('archive')}>{t.dead.archive}</Button>
        </>
      )}
      <CopyMenu
        json={letter}
        path={`/v1/dead-letters/${letter.id}`}
        command={cli('dlq', 'requeue', letter.id)}
      />
      <Dialog
        title={t.dead.requeueTitle}
        intro={t.dead.requeueIntro}
        open={shown === 'requeue'}
        onClose={close}
        wide
      >
        <RequeueForm letter={letter} onDone={close} />
      </Dialog>
      <Dialog title={t.dead.archiveTitle} open={shown === 'archive'} onClose={close}>
        <ArchiveForm id={letter.id} onDone={close} />
      </Dialog>
    </>
  );
}

function RequeueForm({ letter, onDone }: { letter: DeadLetter; onDone: () => void }) {
  const original = useMemo(() => writeJson(letter.data ?? null, 2), [letter.data]);
  const [text, setText] = useState(original);
  const [priority, setPriority] = useState<DeadLetter['priority']>(letter.priority);
  const [maxRetries, setMaxRetries] = useState('');
  const [fault, setFault] = useState('');
  const requeue = useAct('post', '/v1/dead-letters/{id}/requeue', {
    done: t.dead.requeued,
    quiet: true,
    onDone,
  });
  const isChanged = text !== original;
  const submit = () => {
    let data: Json | undefined;
    try {
      data = isChanged ? parseJson(text) : undefined;
    } catch (error) {
      setFault(String(error instanceof Error ? error.message : error));
      return;
    }
    setFault('');
    requeue.mutate({
      path: { id: letter.id },
      body: {
        ...(data === undefined ? {} : { data }),
        ...(priority === letter.priority ? {} : { priority }),
        ...(maxRetries ? { maxRetries: Number(maxRetries) } : {}),
      },
    });
  };
  return (
    <div className="space-y-3">
      <p className="text-[13px] text-soft" data-diff={isChanged ? 'changed' : 'same'}>
        {isChanged ? t.dead.changed : t.dead.unchanged}
      </p>
      <Code label={t.job.data} value={text} onChange={setText} original={original} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t.jobs.priority}>
          <select
            className="field"
            value={priority}
            onChange={(event) => setPriority(event.target.value as DeadLetter['priority'])}
          >
            {PRIORITIES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
        <Field label={t.dead.maxRetries} hint={t.dead.maxRetriesHint}>
          <input
            className="field"
            inputMode="numeric"
            value={maxRetries}
            onChange={(event) => setMaxRetries(event.target.value)}
          />
        </Field>
      </div>
      {fault && <p className="text-bad">{fault}</p>}
      {requeue.error && <Failed error={requeue.error} />}
      <div className="flex justify-end">
        <Button look="main" busy={requeue.isPending} onClick={submit}>
          {isChanged ? t.dead.requeueChanged : t.dead.requeue}
        </Button>
      </div>
    </div>
  );
}

function ArchiveForm({ id, onDone }: { id: string; onDone: () => void }) {
  const [reason, setReason] = useState('');
  const archive = useAct('post', '/v1/dead-letters/{id}/archive', {
    done: t.dead.archived,
    quiet: true,
    onDone,
  });
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        archive.mutate({ path: { id }, body: { reason } });
      }}
    >
      <Field label={t.dead.archiveReason} hint={t.dead.archiveHint}>
        <input
          className="field"
          required
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      {archive.error && <Failed error={archive.error} />}
      <div className="flex justify-end">
        <Button look="main" type="submit" busy={archive.isPending}>
          {t.dead.archive}
        </Button>
      </div>
    </form>
  );
}
