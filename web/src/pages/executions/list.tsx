import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { pick, useFilters } from '../../app/filters';
import { Empty, Mono, PageHead } from '../../components/basics';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { ListHead } from '../../components/list-head';
import { useSelection } from '../../components/selection';
import { Status, Tag } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Span, Time } from '../../components/time';
import { WorkflowLink } from '../../components/workflow-link';
import { cli } from '../../lib/commands';
import { shortId } from '../../lib/ids';
import { EXECUTION_STATUSES, PRIORITIES } from '../../lib/words';
import { t } from '../../messages/en';
import { Bulk, useMayBulk } from '../batches/bulk';

type Execution = Schemas['Execution'];

const FIELDS: FilterField[] = [
  { name: 'status', label: t.jobs.status, values: EXECUTION_STATUSES },
  { name: 'workflow', label: t.jobs.workflow },
  { name: 'version', label: t.executions.version },
  { name: 'tenant', label: t.jobs.tenant },
  { name: 'priority', label: t.jobs.priority, values: PRIORITIES },
  { name: 'correlationId', label: t.executions.correlation },
  { name: 'tag', label: t.jobs.tag },
  {
    name: 'trigger',
    label: t.executions.trigger,
    values: ['user', 'schedule', 'webhook', 'event', 'parent'],
  },
  { name: 'parent', label: t.executions.parent },
  { name: 'scheduleId', label: t.execution.triggerFacts['scheduleId']! },
  { name: 'webhookId', label: t.deliveries.webhook },
  { name: 'deliveryId', label: t.deliveries.one },
  { name: 'fingerprint', label: t.dead.fingerprint },
  { name: 'uniqueKey', label: t.job.uniqueKey },
  { name: 'createdAfter', label: t.filters.createdAfter },
  { name: 'createdBefore', label: t.filters.createdBefore },
];

const QUERY_NAMES = [...FIELDS.map(({ name }) => name), 'from', 'to', 'q', 'order'];

export const EXECUTION_COLUMNS: Column<Execution>[] = [
  {
    id: 'id',
    nowrap: true,
    head: t.jobs.execution,
    cell: (execution) => (
      <Go to={`/executions/${execution.id}`} title={execution.id}>
        <Mono>{shortId(execution.id)}</Mono>
      </Go>
    ),
  },
  {
    id: 'workflow',
    head: t.jobs.workflow,
    cell: (execution) => (
      <WorkflowLink name={execution.workflow} tenant={execution.tenant} className="hover:underline">
        {execution.workflow} <span className="text-soft">v{execution.version}</span>
      </WorkflowLink>
    ),
  },
  { id: 'status', head: t.jobs.status, cell: (execution) => <Status status={execution.status} /> },
  {
    id: 'trigger',
    head: t.executions.trigger,
    from: 'md',
    cell: (execution) => t.executions.triggers[execution.trigger.kind] ?? execution.trigger.kind,
  },
  { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (execution) => execution.tenant },
  {
    id: 'tags',
    head: t.jobs.tag,
    from: 'xl',
    cell: (execution) => execution.tags?.map((tag) => <Tag key={tag}>{tag}</Tag>),
  },
  {
    id: 'took',
    head: t.job.took,
    from: 'md',
    align: 'right',
    cell: (execution) => <Span from={execution.startedAt} to={execution.completedAt} />,
  },
  {
    id: 'created',
    head: t.jobs.created,
    from: 'sm',
    align: 'right',
    cell: (execution) => <Time at={execution.createdAt} />,
  },
];

export function Page() {
  const [filters] = useFilters();
  const mayOperate = useMayBulk('executions');
  const query = pick(filters, QUERY_NAMES);
  const selection = useSelection();
  const list = useLiveList('/v1/executions', { query: query as never, idOf: (execution) => execution.id });
  return (
    <>
      <PageHead title={t.executions.title} intro={t.executions.intro} />
      <FilterBar fields={FIELDS} list="executions" query />
      <ListHead path="/v1/executions" query={query} list={list} name="executions">
        <Bulk kind="executions" query={query} selection={selection} />
      </ListHead>
      <List
        label={t.executions.title}
        list={list}
        columns={EXECUTION_COLUMNS}
        idOf={(execution) => execution.id}
        selection={mayOperate ? selection : undefined}
        empty={
          <Empty title={t.executions.empty}>
            {Object.keys(query).length > 0 ? (
              t.jobs.emptyFiltered
            ) : (
              <>
                {t.executions.emptyBody} <Mono>{cli('run', 'my-workflow', '--input', '{}', '--wait')}</Mono>
              </>
            )}
          </Empty>
        }
      />
    </>
  );
}
