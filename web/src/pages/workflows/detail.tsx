import { useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useMemo, useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useAll, useGet } from '../../api/hooks';
import { useCan, useMe } from '../../api/me';
import { useFilters } from '../../app/filters';
import { usePreferences } from '../../app/preferences';
import { Button, Card, Loading, PageHead } from '../../components/basics';
import { Code } from '../../components/code';
import { CopyMenu } from '../../components/copy';
import { DeclaredAttributes } from '../../components/declared';
import { Dialog } from '../../components/dialog';
import { Go } from '../../components/go';
import { GraphView } from '../../components/graph-view';
import { JsonView } from '../../components/json-view';
import { ObjectFailed } from '../../components/object-failed';
import { SchemaForm } from '../../components/schema-form';
import { Status, Tag } from '../../components/status';
import { Tabs } from '../../components/tabs';
import { Time } from '../../components/time';
import { cli } from '../../lib/commands';
import { graphOf } from '../../lib/graph';
import { isRecord, writeJson } from '../../lib/json';
import { inputSchemaOf } from '../../lib/schema';
import { t } from '../../messages/en';
import { Simulate } from './simulate';
import { WorkflowAuditSlice } from '../system/audit-entry';

type Workflow = Schemas['Workflow'];

const LIST = { to: '/workflows', label: t.workflows.title };

export function Page() {
  const { name = '' } = useParams({ strict: false }) as { name?: string };
  const [filters, change] = useFilters();
  const preferences = usePreferences();
  const tenant = filters['tenant'] ?? preferences.tenant;
  const maySimulate = useCan('workflows.simulate');
  const query = tenant ? { tenant } : {};
  const versions = useAll('/v1/workflows/{name}/versions', { path: { name }, query });
  const latest = versions.items?.[0];
  const chosen = Number(filters['version'] ?? latest?.version ?? 0);
  const { data: workflow, error } = useGet(
    '/v1/workflows/{name}/versions/{version}',
    { path: { name, version: chosen }, query },
    { enabled: chosen > 0 },
  );
  const fault = versions.error ?? error;
  if (fault && !workflow) return <ObjectFailed error={fault} name={name} list={LIST} />;
  if (!workflow || !versions.items) return <Loading />;
  const view = filters['view'] ?? 'graph';
  return (
    <>
      <PageHead
        crumbs={LIST}
        title={
          <span className="flex flex-wrap items-center gap-3">
            {workflow.name}
            <select
              aria-label={t.executions.version}
              className="field w-auto py-0.5 text-base"
              value={chosen}
              onChange={(event) => change({ version: event.target.value })}
            >
              {versions.items.map(({ version }) => (
                <option key={version} value={version}>{`v${version}`}</option>
              ))}
            </select>
            <Status status={workflow.paused ? 'paused' : 'active'} />
          </span>
        }
        intro={
          <>
            {workflow.tenant && <Tag>{workflow.tenant}</Tag>} {t.workflows.pushed}{' '}
            <Time at={workflow.createdAt} /> · <Tag>{workflow.contentHash.slice(0, 12)}</Tag>
          </>
        }
      >
        <Actions workflow={workflow} tenant={tenant} />
      </PageHead>
      <Card
        title={
          <Tabs
            label={t.workflows.views}
            tabs={[
              ['graph', t.execution.graph],
              ['definition', t.workflows.definition],
              ['changes', t.workflows.changes],
              ...(maySimulate ? ([['dry-run', t.simulate.title]] as [string, string][]) : []),
            ]}
            value={view}
            onChange={(next) => change({ view: next })}
          />
        }
        side={
          <Go to="/executions" search={{ workflow: workflow.name, ...(tenant ? { tenant } : {}) }}>
            {t.workflows.executions}
          </Go>
        }
        flush={view === 'graph'}
      >
        {view === 'graph' && <Drawing workflow={workflow} />}
        {view === 'definition' && <JsonView value={workflow.definition} label={t.workflows.definition} />}
        {view === 'dry-run' && (
          <Simulate
            key={workflow.version}
            of={{ workflow: workflow.name, version: workflow.version }}
            tenant={tenant}
            definition={workflow.definition}
            schema={inputSchemaOf(workflow.definition)}
          />
        )}
        {view === 'changes' && <Changes workflow={workflow} versions={versions.items} query={query} />}
      </Card>
      <div className="mt-4 grid items-start gap-4 xl:grid-cols-2">
        <DeclaredAttributes
          scope={{
            of: '/v1/workflows/{name}/attributes',
            path: { name: workflow.name },
            tenant: workflow.tenant ?? tenant,
          }}
          to="/executions"
          search={{ workflow: workflow.name }}
        />
        <WorkflowAuditSlice workflow={workflow.name} />
      </div>
    </>
  );
}

function Drawing({ workflow }: { workflow: Workflow }) {
  const graph = useMemo(() => graphOf(workflow.definition), [workflow.definition]);
  const [selected, setSelected] = useState<string>();
  const { definition } = workflow;
  const nodes =
    isRecord(definition) && Array.isArray(definition['nodes']) ? definition['nodes'].filter(isRecord) : [];
  const node = nodes.find((candidate) => candidate['id'] === selected);
  return (
    <>
      <Suspense fallback={<Loading />}>
        <GraphView graph={graph} selected={selected} onSelect={setSelected} label={t.execution.graph} />
      </Suspense>
      {node && (
        <div className="border-t border-line p-4">
          <JsonView value={node} label={selected ?? ''} />
        </div>
      )}
    </>
  );
}

interface ChangesProps {
  workflow: Workflow;
  versions: Workflow[];
  /** As whom the other version is read. */
  query: { tenant?: string };
}

/** What a version changed against another one. */
function Changes({ workflow, versions, query }: ChangesProps) {
  const others = versions.filter(({ version }) => version !== workflow.version);
  const before = others.find(({ version }) => version < workflow.version) ?? others[0];
  const [against, setAgainst] = useState(before?.version ?? 0);
  const { data: other } = useGet(
    '/v1/workflows/{name}/versions/{version}',
    { path: { name: workflow.name, version: against }, query },
    { enabled: against > 0 },
  );
  if (others.length === 0) return <p className="text-soft">{t.workflows.onlyOne}</p>;
  return (
    <div className="space-y-3">
      <label className="flex items-center gap-2">
        {t.workflows.against}
        <select
          className="field w-auto"
          value={against}
          onChange={(event) => setAgainst(Number(event.target.value))}
        >
          {others.map(({ version }) => (
            <option key={version} value={version}>{`v${version}`}</option>
          ))}
        </select>
      </label>
      {other && (
        <Code
          key={`${against} ${workflow.version}`}
          label={t.workflows.changes}
          value={writeJson(workflow.definition, 2)}
          original={writeJson(other.definition, 2)}
        />
      )}
    </div>
  );
}

interface ActionsProps {
  workflow: Workflow;
  /** For whom it is run; empty where nobody said. */
  tenant: string;
}

function Actions({ workflow, tenant }: ActionsProps) {
  const mayStart = useCan('executions.start');
  const mayPause = useCan('workflows.pause');
  const mayRegister = useCan('workflows.register');
  const me = useMe();
  // What a key of no tenant registers is shared by all: no new version of a tenant's own.
  const mayAddVersion = mayRegister && (!workflow.tenant || me?.tenant === workflow.tenant);
  const [shown, setShown] = useState<'run' | 'pause' | null>(null);
  const navigate = useNavigate();
  const path = { name: workflow.name };
  const query = workflow.tenant ? { tenant: workflow.tenant } : {};
  const search = workflow.tenant ? `?tenant=${encodeURIComponent(workflow.tenant)}` : '';
  const run = useAct('post', '/v1/executions', {
    done: t.workflows.started,
    quiet: true,
    onDone: (answer) =>
      void navigate({ to: `/executions/${answer.id}` as never, search: { follow: 'on' } as never }),
  });
  const pause = useAct('post', '/v1/workflows/{name}/pause', { done: t.workflows.paused });
  const resume = useAct('post', '/v1/workflows/{name}/resume', { done: t.workflows.resumed });
  const input = inputSchemaOf(workflow.definition);
  const pauseWith = (newRuns: 'queue' | 'refuse') => {
    setShown(null);
    pause.mutate({ path, query, body: { newRuns } });
  };
  return (
    <>
      {mayStart && (
        <Button look="main" icon="play" onClick={() => setShown('run')}>
          {t.workflows.run}
        </Button>
      )}
      {mayPause &&
        (workflow.paused ? (
          <Button icon="play" busy={resume.isPending} onClick={() => resume.mutate({ path, query })}>
            {t.overview.resume}
          </Button>
        ) : (
          <Button icon="pause" onClick={() => setShown('pause')}>
            {t.overview.pause}
          </Button>
        ))}
      {mayAddVersion && (
        <Go
          to="/workflow-new"
          search={{ from: workflow.name }}
          className="inline-flex items-center rounded-lg border border-strong bg-card px-3 py-1.5 font-medium hover:bg-raised"
        >
          {t.workflows.newVersion}
        </Go>
      )}
      <CopyMenu
        json={workflow.definition}
        path={`/v1/workflows/${workflow.name}/versions/${workflow.version}${search}`}
        command={cli('workflow', 'show', workflow.name)}
      />
      <Dialog
        title={t.workflows.runTitle(workflow.name, workflow.version)}
        intro={tenant && t.workflows.runFor(tenant)}
        open={shown === 'run'}
        onClose={() => setShown(null)}
        wide={input === null}
      >
        <SchemaForm
          schema={input}
          label={t.workflows.run}
          busy={run.isPending}
          error={run.error}
          onSubmit={(value) =>
            run.mutate({
              body: {
                workflow: workflow.name,
                version: workflow.version,
                input: value,
                ...(tenant ? { tenant } : {}),
              },
            })
          }
        />
      </Dialog>
      <Dialog
        title={t.workflows.pauseTitle(workflow.name)}
        intro={t.workflows.pauseIntro}
        open={shown === 'pause'}
        onClose={() => setShown(null)}
      >
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={() => pauseWith('refuse')}>{t.workflows.refuseNew}</Button>
          <Button look="main" onClick={() => pauseWith('queue')}>
            {t.workflows.queueNew}
          </Button>
        </div>
      </Dialog>
    </>
  );
}
