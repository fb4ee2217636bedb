import type { Schemas } from '../../api/client';
import { useLiveList } from '../../api/hooks';
import { useMay } from '../../api/session';
import { Empty, Mono, PageHead } from '../../components/basics';
import { Go } from '../../components/go';
import { Status, Tag } from '../../components/status';
import { List, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { cli } from '../../lib/commands';
import { t } from '../../messages/en';

type Workflow = Schemas['Workflow'];

const COLUMNS: Column<Workflow>[] = [
  {
    id: 'name',
    head: t.jobs.workflow,
    cell: (workflow) => (
      <Go to={`/workflows/${workflow.name}`} className="link font-medium">
        {workflow.name}
      </Go>
    ),
  },
  { id: 'version', head: t.workflows.latest, cell: (workflow) => <Tag>v{workflow.version}</Tag> },
  {
    id: 'mode',
    head: t.jobs.status,
    cell: (workflow) => (workflow.paused ? <Status status="paused" /> : <Status status="active" />),
  },
  {
    id: 'limit',
    head: t.workflows.limit,
    from: 'md',
    align: 'right',
    cell: (workflow) => workflow.maxConcurrent ?? '–',
  },
  { id: 'tenant', head: t.jobs.tenant, from: 'lg', cell: (workflow) => workflow.tenant ?? t.common.all },
  {
    id: 'created',
    head: t.workflows.pushed,
    align: 'right',
    cell: (workflow) => <Time at={workflow.createdAt} />,
  },
];

export function Page() {
  const list = useLiveList('/v1/workflows', { idOf: (workflow) => workflow.name });
  const mayOperate = useMay('operate');
  return (
    <>
      <PageHead title={t.workflows.title} intro={t.workflows.intro}>
        {mayOperate && (
          <Go
            to="/workflow-new"
            className="inline-flex items-center rounded-lg border border-accent bg-accent px-3 py-1.5 font-medium text-on-accent hover:opacity-90"
          >
            {t.workflows.push}
          </Go>
        )}
      </PageHead>
      <List
        label={t.workflows.title}
        list={list}
        columns={COLUMNS}
        idOf={(workflow) => workflow.name}
        empty={
          <Empty title={t.workflows.empty}>
            {t.workflows.emptyBody} <Mono>{cli('workflow', 'push', 'order.workflow.yaml')}</Mono>
          </Empty>
        }
      />
    </>
  );
}
