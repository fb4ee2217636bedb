import { addressOf, type Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { pick, useFilters } from '../../app/filters';
import { Empty, PageHead } from '../../components/basics';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { ListHead } from '../../components/list-head';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { QUEUES } from '../../lib/words';
import { t } from '../../messages/en';
import { LETTER_COLUMNS } from './list';

type DeadLetter = Schemas['DeadLetter'];

const FIELDS: FilterField[] = [
  { name: 'queue', label: t.jobs.queue, values: QUEUES },
  { name: 'jobType', label: t.jobs.type },
  { name: 'workflow', label: t.jobs.workflow },
  { name: 'tenant', label: t.jobs.tenant },
  { name: 'fingerprint', label: t.dead.fingerprint },
  {
    name: 'reason',
    label: t.dead.reason,
    values: ['retries_exhausted', 'non_retryable', 'worker_lost', 'timeout'],
  },
  { name: 'executionId', label: t.jobs.execution },
  { name: 'resolvedAfter', label: t.dead.from },
  { name: 'resolvedBefore', label: t.dead.to },
];

const QUERY_NAMES = [...FIELDS.map(({ name }) => name), 'from', 'to', 'q', 'order'];
/** What the export takes: filters, no query. */
const EXPORT_NAMES = ['queue', 'workflow', 'jobType', 'tenant', 'fingerprint', 'reason', 'from', 'to'];

const COLUMNS: Column<DeadLetter>[] = [
  ...LETTER_COLUMNS.filter(({ id }) => !['status', 'died'].includes(id)),
  { id: 'why', head: t.dead.archiveReason, from: 'md', cell: (letter) => letter.archiveReason },
  {
    id: 'resolved',
    head: t.dead.archivedAt,
    align: 'right',
    cell: (letter) => <Time at={letter.resolvedAt} />,
  },
];

export function Page() {
  const [filters] = useFilters();
  const query = pick(filters, QUERY_NAMES);
  const list = useLiveList('/v1/archive', { query: query as never, idOf: (letter) => letter.id });
  return (
    <>
      <PageHead
        title={t.archive.title}
        intro={t.archive.intro}
        crumbs={{ to: '/dead-letters', label: t.dead.title }}
      >
        <a
          className="inline-flex items-center rounded-lg border border-strong bg-card px-3 py-1.5 font-medium hover:bg-raised"
          href={addressOf('/v1/archive/export', {}, pick(filters, EXPORT_NAMES))}
          download="archive.jsonl"
        >
          {t.archive.export}
        </a>
      </PageHead>
      <FilterBar fields={FIELDS} list="archive" query />
      <ListHead path="/v1/archive" query={query} list={list} name="archive" />
      <List
        label={t.archive.title}
        list={list}
        columns={COLUMNS}
        idOf={(letter) => letter.id}
        empty={<Empty title={t.archive.empty}>{t.archive.emptyBody}</Empty>}
      />
    </>
  );
}
