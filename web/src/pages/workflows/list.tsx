import type { Schemas } from '../../api/client';
import { useEvery, useLiveList } from '../../api/hooks';
import { useCan } from '../../api/me';
import { pick, useFilters } from '../../app/filters';
import { Card, Empty, Failed, Loading, Mono, PageHead } from '../../components/basics';
import { FilterBar, type FilterField } from '../../components/filter-bar';
import { Go } from '../../components/go';
import { Status, Tag } from '../../components/status';
import { List, Table, type Column } from '../../components/table';
import { Time } from '../../components/time';
import { WorkflowLink } from '../../components/workflow-link';
import { cli } from '../../lib/commands';
import { matches } from '../../lib/match';
import { t } from '../../messages/en';

type Workflow = Schemas['Workflow'];

const COLUMNS: Column<Workflow>[] = [
  {
    id: 'name',
    head: t.jobs.workflow,
    cell: (workflow) => (
      <WorkflowLink name={workflow.name} tenant={workflow.tenant} className="link font-medium" />
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

const FIELDS: FilterField[] = [
  { name: 'workflow', label: t.jobs.workflow },
  { name: 'state', label: t.jobs.status, values: ['active', 'paused'] },
  { name: 'tenant', label: t.jobs.tenant },
];
const NAMES = ['workflow', 'state', 'tenant'] as const;
const idOf = (workflow: Workflow) => `${workflow.tenant ?? ''} ${workflow.name}`;

export function Page() {
  const [filters] = useFilters();
  const query = pick(filters, NAMES);
  const isFiltered = Boolean(query.workflow ?? query.state);
  const mayOperate = useCan('workflows.register');
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
      <FilterBar fields={FIELDS} list="workflows" />
      {isFiltered ? <Filtered query={query} /> : <All tenant={query.tenant} />}
    </>
  );
}

function All({ tenant }: { tenant: string | undefined }) {
  const list = useLiveList('/v1/workflows', { query: tenant ? { tenant } : {}, idOf });
  return (
    <List
      label={t.workflows.title}
      list={list}
      columns={COLUMNS}
      idOf={idOf}
      empty={
        <Empty title={t.workflows.empty}>
          {t.workflows.emptyBody} <Mono>{cli('workflow', 'push', 'order.workflow.yaml')}</Mono>
        </Empty>
      }
    />
  );
}

/** Those that match, of all that the tenant sees: a workflow of no tenant is there for each. */
function Filtered({ query }: { query: Partial<Record<(typeof NAMES)[number], string>> }) {
  const { tenant } = query;
  const { items, error } = useEvery('/v1/workflows', tenant ? { tenant } : {});
  if (error && !items) return <Failed error={error} />;
  if (!items) return <Loading />;
  const found = items.filter((workflow) =>
    matches(
      {
        workflow: workflow.name,
        state: workflow.paused ? 'paused' : 'active',
        tenant: workflow.tenant ?? tenant,
      },
      query,
      NAMES,
    ),
  );
  return (
    <Card flush>
      {found.length === 0 ? (
        <Empty title={t.workflows.emptyFiltered}>{t.workflows.emptyFilteredBody(items.length)}</Empty>
      ) : (
        <Table label={t.workflows.title} rows={found} columns={COLUMNS} idOf={idOf} />
      )}
    </Card>
  );
}
