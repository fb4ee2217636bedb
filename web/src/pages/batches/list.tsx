import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { pick, useFilters } from '../../app/filters';
import { Empty, Mono, PageHead } from '../../components/basics';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { Status } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { Bar } from './progress';

type Batch = Schemas['Batch'];

const STATUSES = ['preparing', 'running', 'paused', 'completed', 'aborted', 'failed'];
const KINDS = [
  'jobs.cancel',
  'jobs.retry',
  'jobs.reprioritize',
  'executions.cancel',
  'executions.retry',
  'executions.rerun',
  'dead_letters.requeue',
  'dead_letters.archive',
  'deliveries.replay',
  'schedules.pause',
  'schedules.resume',
];

const FIELDS: FilterField[] = [
  { name: 'status', label: t.jobs.status, values: STATUSES },
  { name: 'kind', label: t.bulk.kind, values: KINDS },
  { name: 'actor', label: t.audit.actor },
];

const COLUMNS: Column<Batch>[] = [
  {
    id: 'kind',
    head: t.bulk.kind,
    cell: (batch) => (
      <Go to={`/batches/${batch.id}`} className="link font-medium">
        {t.bulk.kinds[batch.kind] ?? batch.kind}
      </Go>
    ),
  },
  {
    id: 'status',
    head: t.jobs.status,
    cell: (batch) => <Status status={batch.status} label={t.bulk.statuses[batch.status] ?? batch.status} />,
  },
  {
    id: 'progress',
    head: t.job.progress,
    from: 'md',
    cell: (batch) => (
      <span className="flex min-w-48 items-center gap-2">
        <Bar batch={batch} />
        <span className="nums text-[13px] text-soft">
          {batch.done + batch.failed + batch.skipped} / {batch.total}
        </span>
      </span>
    ),
  },
  {
    id: 'bad',
    head: t.bulk.bad,
    align: 'right',
    cell: (batch) => (
      <span className={batch.failed + batch.endedBadly > 0 ? 'text-bad' : 'text-soft'}>
        {batch.failed + batch.endedBadly}
      </span>
    ),
  },
  {
    id: 'actor',
    head: t.audit.actor,
    from: 'lg',
    cell: (batch) => (
      <span title={batch.actor}>
        <Mono>{shortId(batch.actor)}</Mono>
      </span>
    ),
  },
  { id: 'reason', head: t.bulk.reason, from: 'xl', cell: (batch) => batch.reason },
  { id: 'at', head: t.jobs.created, align: 'right', cell: (batch) => <Time at={batch.createdAt} /> },
];

export function Page() {
  const [filters] = useFilters();
  const query = pick(filters, ['status', 'kind', 'actor']);
  const list = useLiveList('/v1/batches', { query: query as never, idOf: (batch) => batch.id });
  return (
    <>
      <PageHead title={t.bulk.listTitle} intro={t.bulk.listIntro} />
      <FilterBar fields={FIELDS} list="batches" />
      <List
        label={t.bulk.listTitle}
        list={list}
        columns={COLUMNS}
        idOf={(batch) => batch.id}
        empty={<Empty title={t.bulk.listEmpty}>{t.bulk.listEmptyBody}</Empty>}
      />
    </>
  );
}
