import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { pick, useFilters } from '../../app/filters';
import { Empty, Mono, PageHead } from '../../components/basics';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { ListHead } from '../../components/list-head';
import { useSelection } from '../../components/selection';
import { Status } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Tabs } from '../../components/tabs';
import { Time } from '../../components/time';
import { shortId } from '../../lib/ids';
import { QUEUES } from '../../lib/words';
import { t } from '../../messages/en';
import { Bulk, useMayBulk } from '../batches/bulk';
import { Groups, Issue } from './groups';

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
  { name: 'status', label: t.jobs.status, values: ['open', 'requeued', 'archived'] },
  { name: 'from', label: t.dead.from },
  { name: 'to', label: t.dead.to },
];

/** What only the list of single dead letters can be searched by. */
const LIST_FIELDS: FilterField[] = [
  ...FIELDS,
  { name: 'tag', label: t.jobs.tag },
  { name: 'workerId', label: t.job.worker },
  { name: 'executionId', label: t.jobs.execution },
  { name: 'scheduleId', label: t.execution.triggerFacts['scheduleId']! },
  { name: 'deliveryId', label: t.deliveries.one },
];

const LIST_NAMES = [...LIST_FIELDS.map(({ name }) => name), 'q', 'order'];

export const LETTER_COLUMNS: Column<DeadLetter>[] = [
  {
    id: 'id',
    nowrap: true,
    head: t.dead.one,
    cell: (letter) => (
      <Go to={`/dead-letters/${letter.id}`} title={letter.id}>
        <Mono>{shortId(letter.id)}</Mono>
      </Go>
    ),
  },
  { id: 'type', head: t.jobs.type, cell: (letter) => letter.jobType },
  {
    id: 'error',
    head: t.job.error,
    from: 'md',
    cell: (letter) => (
      <span className="line-clamp-1 max-w-xl font-mono text-[13px] break-all text-bad">
        {letter.error.message}
      </span>
    ),
  },
  {
    id: 'reason',
    head: t.dead.reason,
    from: 'xl',
    cell: (letter) => t.dead.reasons[letter.reason] ?? letter.reason,
  },
  { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (letter) => letter.tenant },
  { id: 'status', head: t.jobs.status, cell: (letter) => <Status status={letter.status} /> },
  { id: 'died', head: t.dead.died, align: 'right', cell: (letter) => <Time at={letter.diedAt} /> },
];

export function Page() {
  const [filters, change] = useFilters();
  const isList = filters['view'] === 'list';
  return (
    <>
      <PageHead title={t.dead.title} intro={t.dead.intro}>
        <Tabs
          label={t.dead.views}
          tabs={[
            ['groups', t.dead.groups],
            ['list', t.dead.list],
          ]}
          value={isList ? 'list' : 'groups'}
          onChange={(view) => change({ view: view === 'list' ? 'list' : undefined })}
        />
        <Go to="/archive">{t.archive.title}</Go>
      </PageHead>
      <FilterBar
        fields={isList ? LIST_FIELDS : FIELDS}
        query={isList}
        list={isList ? 'dead-letters' : 'dead-letter-groups'}
        more={isList ? [] : ['state']}
      />
      {isList ? <Letters /> : <Groups />}
    </>
  );
}

function Letters() {
  const [filters] = useFilters();
  const mayOperate = useMayBulk('deadLetters');
  const query = pick(filters, LIST_NAMES);
  const selection = useSelection();
  const list = useLiveList('/v1/dead-letters', { query: query as never, idOf: (letter) => letter.id });
  const { fingerprint } = filters;
  return (
    <>
      {fingerprint && !fingerprint.includes(',') && <Issue fingerprint={fingerprint} />}
      <ListHead path="/v1/dead-letters" query={query} list={list} name="dead-letters">
        <Bulk kind="deadLetters" query={query} selection={selection} />
      </ListHead>
      <List
        label={t.dead.list}
        list={list}
        columns={LETTER_COLUMNS}
        idOf={(letter) => letter.id}
        selection={mayOperate ? selection : undefined}
        empty={
          <Empty title={t.dead.empty}>
            {Object.keys(query).length > 0 ? t.jobs.emptyFiltered : t.dead.emptyBody}
          </Empty>
        }
      />
    </>
  );
}
