import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { useCan, useMe } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import type { Filters } from '../../app/router';
import { Button, Empty, Mono, PageHead } from '../../components/basics';
import { Dialog } from '../../components/dialog';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { Status } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Tabs } from '../../components/tabs';
import { Time } from '../../components/time';
import { shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { OpenTask } from './task';

type Task = Schemas['UserTask'];

const FIELDS: FilterField[] = [
  { name: 'status', label: t.jobs.status, values: ['open', 'completed', 'timed_out', 'cancelled'] },
  { name: 'group', label: t.task.group },
  { name: 'assignee', label: t.task.assignee },
  { name: 'workflow', label: t.jobs.workflow },
  { name: 'execution', label: t.jobs.execution },
  { name: 'tenant', label: t.jobs.tenant },
  { name: 'dueBefore', label: t.task.dueBefore },
];

const idOf = (task: Task) => `${task.executionId} ${task.nodeId} ${task.round}`;

type Whose = 'all' | 'mine' | 'groups';

/** All tasks, or those of the person and of the groups that the caller stands for. Nothing for a program. */
function WhoseTabs({ filters, change }: { filters: Filters; change: (changes: Filters) => void }) {
  const me = useMe();
  const person = me?.person ?? '';
  const groups = me?.groups.join(',') ?? '';
  if (!person && !groups) return null;
  const search: Record<Whose, Filters> = {
    all: { assignee: undefined, group: undefined },
    mine: { assignee: person, group: undefined },
    groups: { assignee: undefined, group: groups },
  };
  const { assignee, group } = filters;
  const value = person && assignee === person ? 'mine' : groups && group === groups ? 'groups' : 'all';
  return (
    <Tabs
      label={t.task.whose}
      tabs={[
        ['all', t.common.all],
        ...(person ? [['mine', t.task.mine] as [string, string]] : []),
        ...(groups ? [['groups', t.task.ofGroups] as [string, string]] : []),
      ]}
      value={value}
      onChange={(next) => change(search[next as Whose])}
    />
  );
}

export function Page() {
  const [filters, change] = useFilters();
  const mayStart = useCan('userTasks.complete');
  const [chosen, setChosen] = useState<Task | null>(null);
  const query = pick(filters, [
    'status',
    'group',
    'assignee',
    'workflow',
    'execution',
    'tenant',
    'dueBefore',
  ]);
  const list = useLiveList('/v1/user-tasks', { query: query as never, idOf });
  const columns: Column<Task>[] = [
    {
      id: 'node',
      head: t.task.task,
      cell: (task) => (
        <Go
          to={`/executions/${task.executionId}`}
          search={{ node: task.nodeId }}
          className="link font-medium"
        >
          {task.nodeId}
        </Go>
      ),
    },
    { id: 'workflow', head: t.jobs.workflow, cell: (task) => task.workflow },
    {
      id: 'execution',
      head: t.jobs.execution,
      from: 'lg',
      cell: (task) => <Mono>{shortId(task.executionId)}</Mono>,
    },
    { id: 'who', head: t.task.who, from: 'sm', cell: (task) => task.assignee ?? task.group ?? '–' },
    { id: 'claimed', head: t.task.claimedBy, from: 'md', cell: (task) => task.claimedBy },
    {
      id: 'status',
      head: t.jobs.status,
      from: 'md',
      cell: (task) => <Status status={task.status} label={t.task.statuses[task.status] ?? task.status} />,
    },
    { id: 'due', head: t.task.due, from: 'md', align: 'right', cell: (task) => <Time at={task.dueAt} /> },
    { id: 'opened', head: t.task.opened, align: 'right', cell: (task) => <Time at={task.openedAt} /> },
    {
      id: 'do',
      head: <span className="sr-only">{t.task.complete}</span>,
      align: 'right',
      cell: (task) =>
        mayStart &&
        task.status === 'open' && (
          <Button small onClick={() => setChosen(task)}>
            {t.task.open}
          </Button>
        ),
    },
  ];
  return (
    <>
      <PageHead title={t.task.title} intro={t.task.intro}>
        <WhoseTabs filters={filters} change={change} />
      </PageHead>
      <FilterBar fields={FIELDS} list="user-tasks" />
      <List
        label={t.task.title}
        list={list}
        columns={columns}
        idOf={idOf}
        empty={
          <Empty title={t.task.empty}>
            {Object.keys(query).length > 0 ? t.jobs.emptyFiltered : t.task.emptyBody}
          </Empty>
        }
      />
      <Dialog
        title={chosen?.nodeId ?? ''}
        {...(chosen ? { intro: `${chosen.workflow} · ${shortId(chosen.executionId)}` } : {})}
        open={chosen !== null}
        onClose={() => setChosen(null)}
      >
        {chosen && (
          <OpenTask
            executionId={chosen.executionId}
            nodeId={chosen.nodeId}
            withInput
            onDone={() => setChosen(null)}
          />
        )}
      </Dialog>
    </>
  );
}
