import { useState } from 'react';
import { Go } from '../../components/go';
import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import { Button, Empty, Mono, PageHead } from '../../components/basics';
import { Dialog } from '../../components/dialog';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { ListHead } from '../../components/list-head';
import { useSelection } from '../../components/selection';
import { Status } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { cli } from '../../lib/commands';
import { shortId } from '../../lib/ids';
import { JOB_STATUSES, PRIORITIES, QUEUES } from '../../lib/words';
import { t } from '../../messages/en';
import { Bulk, useMayBulk } from '../batches/bulk';
import { NewJob } from './new-job';

type Job = Schemas['Job'];

const FIELDS: FilterField[] = [
  { name: 'status', label: t.jobs.status, values: JOB_STATUSES },
  { name: 'queue', label: t.jobs.queue, values: QUEUES },
  { name: 'jobType', label: t.jobs.type },
  { name: 'priority', label: t.jobs.priority, values: PRIORITIES },
  { name: 'tenant', label: t.jobs.tenant },
  { name: 'workflow', label: t.jobs.workflow },
  { name: 'executionId', label: t.jobs.execution },
  { name: 'nodeId', label: t.jobs.node },
  { name: 'scheduleId', label: t.execution.triggerFacts['scheduleId']! },
  { name: 'deliveryId', label: t.deliveries.one },
  { name: 'tag', label: t.jobs.tag },
  { name: 'fingerprint', label: t.dead.fingerprint },
  { name: 'workerId', label: t.job.worker },
  { name: 'uniqueKey', label: t.job.uniqueKey },
  { name: 'concurrencyKey', label: t.job.concurrencyKey },
  { name: 'createdAfter', label: t.filters.createdAfter },
  { name: 'createdBefore', label: t.filters.createdBefore },
];

const QUERY_NAMES = [...FIELDS.map(({ name }) => name), 'from', 'to', 'q', 'order'];

export const JOB_COLUMNS: Column<Job>[] = [
  {
    id: 'id',
    nowrap: true,
    head: t.jobs.id,
    cell: (job) => (
      <Go to={`/jobs/${job.id}`} title={job.id}>
        <Mono>{shortId(job.id)}</Mono>
      </Go>
    ),
  },
  {
    id: 'type',
    head: t.jobs.type,
    // Where there is room, the type of an execution's job is on one line.
    cell: (job) => <span className="inline-block break-all lg:min-w-36">{job.jobType}</span>,
  },
  { id: 'status', head: t.jobs.status, cell: (job) => <Status status={job.status} /> },
  { id: 'queue', head: t.jobs.queue, from: 'lg', cell: (job) => t.queues[job.queue] ?? job.queue },
  { id: 'priority', head: t.jobs.priority, from: 'md', cell: (job) => job.priority },
  { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (job) => job.tenant },
  {
    id: 'execution',
    head: t.jobs.execution,
    from: 'xl',
    cell: (job) =>
      job.executionId && (
        <Go to={`/executions/${job.executionId}`} title={job.executionId}>
          {job.workflow ?? <Mono>{shortId(job.executionId)}</Mono>}
        </Go>
      ),
  },
  {
    id: 'retries',
    head: t.job.retries,
    from: 'md',
    align: 'right',
    cell: (job) => `${job.retryCount} / ${job.maxRetries}`,
  },
  {
    id: 'created',
    head: t.jobs.created,
    from: 'sm',
    align: 'right',
    cell: (job) => <Time at={job.createdAt} />,
  },
];

export function Page() {
  const [filters] = useFilters();
  const mayOperate = useMayBulk('jobs');
  const query = pick(filters, QUERY_NAMES);
  const selection = useSelection();
  const list = useLiveList('/v1/jobs', { query: query as never, idOf: (job) => job.id });
  const isFiltered = Object.keys(query).length > 0;
  const mayEnqueue = useCan('jobs.enqueue');
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <PageHead title={t.jobs.title} intro={t.jobs.intro}>
        {mayEnqueue && (
          <Button icon="plus" onClick={() => setOpen(true)}>
            {t.enqueue.title}
          </Button>
        )}
      </PageHead>
      <FilterBar fields={FIELDS} list="jobs" query />
      <ListHead path="/v1/jobs" query={query} list={list} name="jobs">
        <Bulk kind="jobs" query={query} selection={selection} />
      </ListHead>
      <List
        label={t.jobs.title}
        list={list}
        columns={JOB_COLUMNS}
        idOf={(job) => job.id}
        selection={mayOperate ? selection : undefined}
        empty={
          <Empty title={t.jobs.empty}>
            {isFiltered ? (
              t.jobs.emptyFiltered
            ) : (
              <>
                {t.jobs.emptyBody} <Mono>{cli('job', 'enqueue', 'send-mail', '--data', '{"to":"ada"}')}</Mono>
              </>
            )}
          </Empty>
        }
      />
      <Dialog title={t.enqueue.title} intro={t.enqueue.intro} open={isOpen} onClose={close} wide>
        {isOpen && <NewJob onDone={close} />}
      </Dialog>
    </>
  );
}
