import type { Schemas } from '../../api/client';
import { useAct, useAll } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Card, Empty, Failed, Loading, PageHead } from '../../components/basics';
import { CopyButton } from '../../components/copy';
import { ConfirmButton } from '../../components/dialog';
import { Go } from '../../components/go';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { Time, useNow } from '../../components/time';
import { t } from '../../messages/en';
import { Processes } from './processes';

type Worker = Schemas['Worker'];

/** A worker that was not seen for longer than this has probably gone. */
const GONE_MS = 60_000;

const COLUMNS: Column<Worker>[] = [
  { id: 'seen', head: t.workers.state, cell: (worker) => <Alive worker={worker} /> },
  {
    id: 'id',
    head: t.workers.worker,
    cell: (worker) => (
      <span className="flex items-center gap-1">
        <span className="max-w-64 truncate font-mono text-[13px]" title={worker.id}>
          {worker.id}
        </span>
        <CopyButton text={worker.id} />
      </span>
    ),
  },
  {
    id: 'kind',
    head: t.workers.kind,
    from: 'sm',
    cell: (worker) => t.workers.kinds[worker.kind] ?? worker.kind,
  },
  {
    id: 'build',
    head: t.workers.build,
    from: 'sm',
    cell: (worker) =>
      worker.build ? <span className="font-mono text-[13px]">{worker.build}</span> : <Unknown />,
  },
  {
    id: 'types',
    head: t.workers.types,
    from: 'md',
    cell: (worker) => (
      <span className="flex flex-wrap gap-1">
        {worker.jobTypes.map((type) => (
          <Tag key={type}>{type}</Tag>
        ))}
      </span>
    ),
  },
  {
    id: 'leased',
    head: t.workers.leased,
    align: 'right',
    cell: (worker) =>
      worker.leased > 0 ? (
        <Go to="/jobs" search={{ workerId: worker.id, status: 'PROCESSING' }}>
          {worker.leased}
        </Go>
      ) : (
        0
      ),
  },
  { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (worker) => worker.tenant ?? t.common.all },
  {
    id: 'first',
    head: t.workers.first,
    from: 'lg',
    align: 'right',
    cell: (worker) => <Time at={worker.firstSeenAt} />,
  },
  { id: 'last', head: t.workers.last, align: 'right', cell: (worker) => <Time at={worker.lastSeenAt} /> },
  {
    id: 'drain',
    head: <span className="sr-only">{t.workers.drain}</span>,
    align: 'right',
    cell: (worker) => <Drain worker={worker} />,
  },
];

function Unknown() {
  return <span className="text-soft">–</span>;
}

/** Lets a worker finish what it has and end. Pools of the server end with the server. */
function Drain({ worker }: { worker: Worker }) {
  const mayDrain = useCan('workers.drain');
  const drain = useAct('post', '/v1/workers/{id}/drain', { done: t.workers.drained });
  if (!mayDrain || worker.kind !== 'external' || worker.draining) return null;
  return (
    <ConfirmButton
      small
      label={t.workers.drain}
      title={t.workers.drainTitle(worker.id)}
      body={t.workers.drainBody}
      busy={drain.isPending}
      onConfirm={() =>
        drain.mutate({
          path: { id: worker.id },
          ...(worker.tenant ? { query: { tenant: worker.tenant } as never } : {}),
        })
      }
    />
  );
}

/** How many workers run each build, where they say it: a release is rolled out when one is left. */
function Builds({ workers }: { workers: Worker[] }) {
  const since = useNow() - GONE_MS;
  const counts = new Map<string, number>();
  for (const { kind, build, lastSeenAt } of workers)
    if (kind === 'external' && Date.parse(lastSeenAt) > since)
      counts.set(build ?? '', (counts.get(build ?? '') ?? 0) + 1);
  if (counts.size === 0 || (counts.size === 1 && counts.has(''))) return null;
  return (
    <p className="mb-3 flex flex-wrap items-center gap-2" data-builds={counts.size}>
      <span className="text-soft">{t.workers.builds}</span>
      {[...counts].map(([build, count]) => (
        <Tag key={build} tone={counts.size > 1 ? 'warn' : 'ok'}>
          {t.workers.buildCount(build || t.workers.noBuild, count)}
        </Tag>
      ))}
    </p>
  );
}

function Alive({ worker }: { worker: Worker }) {
  const isGone = useNow() - Date.parse(worker.lastSeenAt) > GONE_MS;
  if (worker.draining && !isGone) return <Tag tone="warn">{t.workers.draining}</Tag>;
  return <Tag tone={isGone ? 'warn' : 'ok'}>{isGone ? t.workers.gone : t.workers.alive}</Tag>;
}

export function Page() {
  const { items, error } = useAll('/v1/workers', {}, { every: 5_000 });
  return (
    <>
      <PageHead title={t.workers.title} intro={t.workers.intro} />
      {error && !items && <Failed error={error} />}
      {!items && !error && <Loading />}
      {items && <Builds workers={items} />}
      {items && (
        <Card flush>
          {items.length === 0 ? (
            <Empty title={t.workers.empty}>{t.workers.emptyBody}</Empty>
          ) : (
            <Table label={t.workers.title} rows={items} columns={COLUMNS} idOf={(worker) => worker.id} />
          )}
        </Card>
      )}
      <Processes />
    </>
  );
}
