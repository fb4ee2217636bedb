import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { omittedOf } from '../../api/payloads';
import { useVersionOf } from '../../api/workflows';
import { Card, Empty, FactList, Mono } from '../../components/basics';
import { CopyButton } from '../../components/copy';
import { Go } from '../../components/go';
import { Payload } from '../../components/payload';
import { SchemaForm } from '../../components/schema-form';
import { Status, Tag } from '../../components/status';
import { Span, Time } from '../../components/time';
import { shortId } from '../../lib/ids';
import { isRecord } from '../../lib/json';
import type { JsonSchema } from '../../lib/schema';
import { isExecutionOpen } from '../../lib/words';
import { t } from '../../messages/en';
import { ErrorCard } from '../jobs/detail';
import { OpenTask } from '../user-tasks/task';
import { MapItems, NodeList } from './node-list';

type Execution = Schemas['Execution'];
type Node = Schemas['Node'];

/** A node has one job a round; of one that repeats, the newest are listed. */
const JOBS_MAX = 20;

interface Props {
  execution: Execution;
  node: Node | undefined;
  nodes: Node[];
  onSelect: (node: string) => void;
}

/** The chosen node: where it stands, what went in and came out, and what a person can do for it. */
export function NodePanel({ execution, node, nodes, onSelect }: Props) {
  if (!node) {
    return (
      <Card title={t.execution.nodes} flush>
        {nodes.length === 0 && <Empty title={t.execution.noNodes}>{t.execution.notStarted}</Empty>}
        <NodeList label={t.execution.nodes} nodes={nodes} onSelect={onSelect} />
      </Card>
    );
  }
  return (
    <>
      <Card
        title={
          <span className="flex items-center gap-2">
            {node.nodeId} <Status status={node.status} />
          </span>
        }
        side={<Tag>{node.type}</Tag>}
      >
        <FactList
          facts={[
            [t.jobs.attempts, node.attempts || null],
            [t.job.started, node.startedAt && <Time at={node.startedAt} full />],
            [t.execution.source, <SourcePlace key="s" execution={execution} node={node.nodeId} />],
            [t.job.took, node.startedAt && <Span from={node.startedAt} to={node.finishedAt} />],
            [
              t.execution.items,
              node.mapItems && t.execution.itemsOf(node.mapItems.completed, node.mapItems.total),
            ],
            [
              t.execution.child,
              node.waitsFor?.executionId && (
                <Go to={`/executions/${node.waitsFor.executionId}`}>
                  <Mono>{shortId(node.waitsFor.executionId)}</Mono>
                </Go>
              ),
            ],
            [
              t.execution.callback,
              node.callbackUrl && (
                <span className="flex gap-1">
                  <Mono>{node.callbackUrl}</Mono>
                  <CopyButton text={node.callbackUrl} />
                </span>
              ),
            ],
          ]}
        />
        {node.waitsFor && <p className="mt-2 text-soft">{node.waitsFor.detail}</p>}
        <NodeJobs key={node.nodeId} execution={execution} node={node.nodeId} />
      </Card>
      {node.mapItems && (
        <MapItems key={node.nodeId} execution={execution.id} map={node.nodeId} onSelect={onSelect} />
      )}
      <NodeForm execution={execution} node={node} />
      {node.error && <ErrorCard error={node.error} />}
      <NodePayload node={node} field="input" label={t.execution.nodeInput} />
      <NodePayload node={node} field="output" label={t.execution.nodeOutput} />
    </>
  );
}

/** What went in or came out; nothing where there is nothing. */
function NodePayload({ node, field, label }: { node: Node; field: 'input' | 'output'; label: string }) {
  const value = node[field];
  if ((value === undefined || value === null) && !omittedOf(node.omitted, field)) return null;
  return (
    <Card title={label}>
      <Payload key={node.nodeId} value={value} omitted={node.omitted} field={field} label={label} />
    </Card>
  );
}

/** Where the node is in the program that its workflow was compiled from. */
function SourcePlace({ execution, node }: { execution: Execution; node: string }) {
  const version = useVersionOf(execution);
  const place = version.data?.source?.[node];
  return place ? <Mono>{`${place.file}:${String(place.line)}`}</Mono> : '–';
}

/** The jobs that ran the node. */
function NodeJobs({ execution, node }: { execution: Execution; node: string }) {
  const query = { executionId: execution.id, nodeId: node, limit: JOBS_MAX };
  // The list knows nodes, and not the items of a MAP.
  const jobs = useGet('/v1/jobs', { query }, { enabled: !node.includes('[') }).data?.items ?? [];
  if (jobs.length === 0) return null;
  return (
    <ul className="mt-3 space-y-1 border-t border-line pt-2">
      {jobs.map((job) => (
        <li key={job.id} className="flex items-center justify-between gap-2">
          <Go to={`/jobs/${job.id}`} title={job.id}>
            {job.jobType} <Mono>{shortId(job.id)}</Mono>
          </Go>
          <Status status={job.status} />
        </li>
      ))}
    </ul>
  );
}

/** What a person can do for a node that waits. */
function NodeForm({ execution, node }: { execution: Execution; node: Node }) {
  const mayComplete = useCan('userTasks.complete');
  const maySignal = useCan('executions.signal');
  if (node.status !== 'WAITING' || !isExecutionOpen(execution.status)) return null;
  if (node.type === 'USER_TASK') {
    return mayComplete ? (
      <Card title={t.task.complete}>
        <OpenTask key={node.nodeId} executionId={execution.id} nodeId={node.nodeId} />
      </Card>
    ) : null;
  }
  if (!maySignal) return null;
  if (node.callbackUrl) return <CallbackForm url={node.callbackUrl} />;
  if (node.type === 'SIGNAL') return <SignalForm execution={execution} nodeId={node.nodeId} />;
  return null;
}

/** Does what the caller of the one-time address would do. The call goes to this server, under whatever name it is known. */
function CallbackForm({ url }: { url: string }) {
  const send = useAct('post', '/callbacks/{executionId}/{nodeId}/{token}', {
    done: t.execution.calledBack,
    quiet: true,
  });
  const parts = new URL(url, document.baseURI).pathname.split('/callbacks/')[1]?.split('/') ?? [];
  const [executionId, nodeId, token] = parts.map(decodeURIComponent);
  if (!executionId || !nodeId || !token) return null;
  return (
    <Card title={t.execution.callBack}>
      <p className="mb-3 text-soft">{t.execution.callBackIntro}</p>
      <SchemaForm
        schema={null}
        label={t.execution.callBackNow}
        busy={send.isPending}
        error={send.error}
        onSubmit={(body) => send.mutate({ path: { executionId, nodeId, token }, body })}
      />
    </Card>
  );
}

function SignalForm({ execution, nodeId }: { execution: Execution; nodeId: string }) {
  const version = useVersionOf(execution);
  const send = useAct('post', '/v1/executions/{id}/signals/{name}', {
    done: t.execution.signalled,
    quiet: true,
  });
  const definition = version.data?.definition;
  const nodes =
    isRecord(definition) && Array.isArray(definition['nodes']) ? definition['nodes'].filter(isRecord) : [];
  const node = nodes.find((candidate) => candidate['id'] === nodeId);
  if (!node) return null;
  const name = String(node['signal'] ?? nodeId);
  const schema = isRecord(node['schema']) ? (node['schema'] as JsonSchema) : null;
  return (
    <Card title={t.execution.signal(name)}>
      <SchemaForm
        schema={schema}
        label={t.execution.send}
        busy={send.isPending}
        error={send.error}
        onSubmit={(payload) => send.mutate({ path: { id: execution.id, name }, body: { payload } })}
      />
    </Card>
  );
}
