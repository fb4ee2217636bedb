import { useAct, useGet } from '../../api/hooks';
import { useMe } from '../../api/me';
import type { Schemas } from '../../api/client';
import { Card, FactList, Mono } from '../../components/basics';
import { ConfirmButton } from '../../components/dialog';
import { Tag } from '../../components/status';
import { Time } from '../../components/time';
import { duration } from '../../lib/time';
import { t } from '../../messages/en';

type Move = Schemas['Move'];

/** While rows are copied. */
const MOVING_EVERY_MS = 2_000;
/** Requests come with what somebody does. */
const REQUESTED_EVERY_MS = 10_000;
const TONES: Record<string, 'busy' | 'warn' | 'ok' | 'bad'> = {
  copying: 'busy',
  finishing: 'warn',
  done: 'ok',
  failed: 'bad',
};
const REQUESTS = { action: 'store.move', outcome: 'done', from: 'now-1d', limit: 1 };

/**
 * The move of the store to another database that was requested in the last day; nothing where none was. A process knows its own
 * moves only, so that the audit log is asked first whether there was one.
 */
export function LastMove() {
  const me = useMe();
  const may = (action: string) => me !== undefined && !me.tenant && me.can.includes(action);
  const { data } = useGet(
    '/v1/audit',
    { query: REQUESTS },
    { every: REQUESTED_EVERY_MS, enabled: may('moves.read') && may('audit.read') },
  );
  const request = data?.items[0];
  return request ? <Moving key={request.id} request={request} mayAbort={may('moves.start')} /> : null;
}

function Moving({ request, mayAbort }: { request: Schemas['AuditLine']; mayAbort: boolean }) {
  const { data } = useGet(
    '/v1/moves/last',
    {},
    { every: (move) => (move && isMoving(move) ? MOVING_EVERY_MS : 0) },
  );
  if (!data) return null;
  return (
    <Card
      title={t.move.title}
      side={
        <span className="flex items-center gap-2">
          <Tag tone={TONES[data.phase] ?? 'rest'}>{t.move.phases[data.phase] ?? data.phase}</Tag>
          {mayAbort && data.phase === 'copying' && <Abort />}
        </span>
      }
    >
      <div data-move={data.phase}>
        <FactList
          columns={3}
          facts={[
            [t.move.to, <Mono key="t">{data.to}</Mono>],
            [t.move.by, request.actor],
            [t.move.at, <Time key="a" at={data.startedAt} />],
            [t.move.rows, t.move.rowsOf(data.rowsCopied, data.rowsTotal)],
            [t.move.left, data.rowsLeft?.toLocaleString('en')],
            [t.move.paused, typeof data.pausedMs === 'number' && duration(data.pausedMs)],
          ]}
        />
        {data.error && <p className="mt-3 text-bad">{data.error}</p>}
        {data.phase === 'done' && <p className="mt-3 text-warn">{t.move.setUrl}</p>}
        {data.phase === 'copying' && <Progress of={data} />}
      </div>
    </Card>
  );
}

function isMoving({ phase }: Move): boolean {
  return phase === 'copying' || phase === 'finishing';
}

/** Rows that changed meanwhile count again, so that there may be more than all. */
function Progress({ of: { rowsCopied, rowsTotal } }: { of: Move }) {
  if (rowsTotal === 0) return null;
  return (
    <progress
      className="mt-3 w-full"
      aria-label={t.move.rows}
      max={rowsTotal}
      value={Math.min(rowsCopied, rowsTotal)}
    />
  );
}

function Abort() {
  const abort = useAct('post', '/v1/moves/last/abort', { done: t.move.aborted });
  return (
    <ConfirmButton
      small
      look="danger"
      label={t.move.abort}
      title={t.move.abortTitle}
      body={t.move.abortBody}
      busy={abort.isPending}
      onConfirm={() => abort.mutate({})}
    />
  );
}
