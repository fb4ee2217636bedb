import type { Schemas } from '../../api/client';
import { useAll } from '../../api/hooks';
import { Card, Empty, Failed, Loading, PageHead } from '../../components/basics';
import { CopyButton } from '../../components/copy';
import { Tag } from '../../components/status';
import { Table, type Column } from '../../components/table';
import { Time, useNow } from '../../components/time';
import { t } from '../../messages/en';

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
  { id: 'leased', head: t.workers.leased, align: 'right', cell: (worker) => worker.leased },
  { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (worker) => worker.tenant ?? t.common.all },
  {
    id: 'first',
    head: t.workers.first,
    from: 'lg',
    align: 'right',
    cell: (worker) => <Time at={worker.firstSeenAt} />,
  },
  { id: 'last', head: t.workers.last, align: 'right', cell: (worker) => <Time at={worker.lastSeenAt} /> },
];

function Alive({ worker }: { worker: Worker }) {
  const isGone = useNow() - Date.parse(worker.lastSeenAt) > GONE_MS;
  return <Tag tone={isGone ? 'warn' : 'ok'}>{isGone ? t.workers.gone : t.workers.alive}</Tag>;
}

export function Page() {
  const { items, error } = useAll('/v1/workers', {}, { every: 5_000 });
  return (
    <>
      <PageHead title={t.workers.title} intro={t.workers.intro} />
      {error && !items && <Failed error={error} />}
      {!items && !error && <Loading />}
      {items && (
        <Card flush>
          {items.length === 0 ? (
            <Empty title={t.workers.empty}>{t.workers.emptyBody}</Empty>
          ) : (
            <Table label={t.workers.title} rows={items} columns={COLUMNS} idOf={(worker) => worker.id} />
          )}
        </Card>
      )}
    </>
  );
}
