import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { useMay } from '../../api/session';
import { pick, useFilters } from '../../app/filters';
import { Button, Empty, Mono, PageHead } from '../../components/basics';
import { Dialog } from '../../components/dialog';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { JsonView } from '../../components/json-view';
import { Status } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { TaskClaim } from './claim';
import { TaskForm } from './form';

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

export function Page() {
  const [filters] = useFilters();
  const mayStart = useMay('start');
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
      <PageHead title={t.task.title} intro={t.task.intro} />
      <FilterBar fields={FIELDS} list="user-tasks" />
      <List
        label={t.task.title}
        list={list}
        columns={columns}
        idOf={idOf}
        empty={<Empty title={t.task.empty}>{t.task.emptyBody}</Empty>}
      />
      <Dialog
        title={chosen?.nodeId ?? ''}
        {...(chosen ? { intro: `${chosen.workflow} · ${shortId(chosen.executionId)}` } : {})}
        open={chosen !== null}
        onClose={() => setChosen(null)}
      >
        {chosen && (
          <div className="space-y-4">
            {chosen.input !== undefined && chosen.input !== null && (
              <JsonView value={chosen.input} label={t.execution.input} />
            )}
            <TaskClaim task={chosen} onChange={setChosen} />
            <TaskForm task={chosen} onDone={() => setChosen(null)} />
          </div>
        )}
      </Dialog>
    </>
  );
}
