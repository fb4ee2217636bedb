import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button } from '../../components/basics';
import { Go } from '../../components/go';
import { Icon } from '../../components/icons';
import { Status } from '../../components/status';
import { isBatchOpen } from '../../lib/words';
import { t } from '../../messages/en';

type Batch = Schemas['Batch'];

const EVERY_MS = 1_000;

/** A bulk operation, read again while it is under way or its outcomes are not known. */
export function useBatch(id: string) {
  const every = (batch: Batch | undefined) =>
    batch && !isBatchOpen(batch.status) && batch.pending === 0 ? 0 : EVERY_MS;
  const { data, error } = useGet('/v1/batches/{id}', { path: { id } }, { every });
  return { batch: data, error };
}

/** How far it is. */
export function Bar({ batch }: { batch: Batch }) {
  const settled = batch.done + batch.failed + batch.skipped;
  const part =
    batch.total > 0 ? Math.round((settled / batch.total) * 100) : isBatchOpen(batch.status) ? 0 : 100;
  return (
    <div
      role="progressbar"
      aria-label={t.bulk.progressLabel}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={part}
      className="h-2 min-w-32 flex-1 overflow-hidden rounded-full bg-raised"
    >
      <div
        className={`h-full rounded-full ${batch.failed > 0 ? 'bg-warn' : 'bg-accent'}`}
        style={{ width: `${part}%` }}
      />
    </div>
  );
}

/** Pauses, resumes and ends it. */
export function BatchActions({ batch }: { batch: Batch }) {
  const mayPause = useCan('batches.pause');
  const mayAbort = useCan('batches.abort');
  const path = { id: batch.id };
  const abort = useAct('post', '/v1/batches/{id}/abort', { done: t.bulk.aborted });
  const pause = useAct('post', '/v1/batches/{id}/pause', { done: t.bulk.paused });
  const resume = useAct('post', '/v1/batches/{id}/resume', { done: t.bulk.resumed });
  if (!isBatchOpen(batch.status)) return null;
  return (
    <>
      {mayPause &&
        (batch.status === 'paused' ? (
          <Button small icon="play" busy={resume.isPending} onClick={() => resume.mutate({ path })}>
            {t.overview.resume}
          </Button>
        ) : (
          <Button small icon="pause" busy={pause.isPending} onClick={() => pause.mutate({ path })}>
            {t.overview.pause}
          </Button>
        ))}
      {mayAbort && (
        <Button small look="danger" busy={abort.isPending} onClick={() => abort.mutate({ path })}>
          {t.bulk.abort}
        </Button>
      )}
    </>
  );
}

/** A bulk operation above the list that it was started from. */
export function BatchProgress({ id, onClose }: { id: string; onClose: () => void }) {
  const { batch } = useBatch(id);
  if (!batch) return null;
  return (
    <section
      aria-label={t.bulk.progressLabel}
      className="order-last flex w-full flex-wrap items-center gap-3 rounded-xl border border-line bg-card px-4 py-2.5"
    >
      <Status status={batch.status} label={t.bulk.statuses[batch.status] ?? batch.status} />
      <span className="nums">{t.bulk.progress(batch.done, batch.failed, batch.total)}</span>
      <Bar batch={batch} />
      <BatchActions batch={batch} />
      <Go to={`/batches/${id}`}>{t.bulk.affected}</Go>
      <button
        type="button"
        aria-label={t.common.close}
        className="rounded p-1 text-soft hover:bg-raised"
        onClick={onClose}
      >
        <Icon name="close" size={14} />
      </button>
    </section>
  );
}
