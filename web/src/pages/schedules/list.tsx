import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import { Button, Empty, Mono, PageHead } from '../../components/basics';
import { Dialog } from '../../components/dialog';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { ListHead } from '../../components/list-head';
import { useSelection } from '../../components/selection';
import { Status } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { WorkflowLink } from '../../components/workflow-link';
import { t } from '../../messages/en';
import { Bulk } from '../batches/bulk';
import { ScheduleForm } from './form';

type Schedule = Schemas['Schedule'];

const FIELDS: FilterField[] = [
  { name: 'workflow', label: t.jobs.workflow },
  { name: 'tenant', label: t.jobs.tenant },
  { name: 'paused', label: t.schedules.paused, values: ['true', 'false'] },
];

const COLUMNS: Column<Schedule>[] = [
  {
    id: 'name',
    head: t.schedules.name,
    cell: (schedule) => (
      <Go to={`/schedules/${schedule.id}`} className="link font-medium">
        {schedule.name}
      </Go>
    ),
  },
  {
    id: 'when',
    head: t.schedules.when,
    cell: (schedule) => (
      <>
        {schedule.description}{' '}
        <span className="text-soft max-md:hidden">
          <Mono>{schedule.cron ?? schedule.every}</Mono>
        </span>
      </>
    ),
  },
  { id: 'zone', head: t.schedules.zone, from: 'lg', cell: (schedule) => schedule.timezone },
  {
    id: 'workflow',
    head: t.jobs.workflow,
    from: 'md',
    cell: ({ workflow, tenant }) => <WorkflowLink name={workflow} tenant={tenant} />,
  },
  {
    id: 'status',
    head: t.jobs.status,
    cell: (schedule) => <Status status={schedule.paused ? 'paused' : 'active'} />,
  },
  {
    id: 'next',
    head: t.schedules.next,
    align: 'right',
    cell: (schedule) => <Time at={schedule.nextRunAt} />,
  },
];

export function Page() {
  const [filters] = useFilters();
  const mayOperate = useCan('schedules.write');
  const [isOpen, setOpen] = useState(false);
  const query = pick(filters, ['workflow', 'tenant', 'paused', 'from', 'to', 'q', 'order']);
  const selection = useSelection();
  const list = useLiveList('/v1/schedules', { query: query as never, idOf: (schedule) => schedule.id });
  return (
    <>
      <PageHead title={t.schedules.title} intro={t.schedules.intro}>
        {mayOperate && (
          <Button look="main" icon="plus" onClick={() => setOpen(true)}>
            {t.schedules.create}
          </Button>
        )}
      </PageHead>
      <FilterBar fields={FIELDS} list="schedules" query />
      <ListHead path="/v1/schedules" query={query} list={list} name="schedules">
        <Bulk kind="schedules" query={query} selection={selection} />
      </ListHead>
      <List
        label={t.schedules.title}
        list={list}
        columns={COLUMNS}
        idOf={(schedule) => schedule.id}
        selection={mayOperate ? selection : undefined}
        empty={
          <Empty title={t.schedules.empty}>
            {Object.keys(query).length > 0 ? t.jobs.emptyFiltered : t.schedules.emptyBody}
          </Empty>
        }
      />
      <Dialog title={t.schedules.create} open={isOpen} onClose={() => setOpen(false)} wide>
        <ScheduleForm onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}
