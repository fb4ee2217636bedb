import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAll, useGet } from '../../api/hooks';
import { NODE_PAYLOAD_MAX, PAYLOAD_MAX } from '../../api/payloads';
import { Button } from '../../components/basics';
import { Go } from '../../components/go';
import { WorkflowLink } from '../../components/workflow-link';
import { isExecutionOpen } from '../../lib/words';
import { t } from '../../messages/en';
import { Below, CallRow, IdLink, JobRow, Row } from './chain-parts';

type Execution = Schemas['Execution'];
type Node = Schemas['Node'];

const EVERY_MS = 3_000;
/** So many nodes are drawn at first, and so many more whenever somebody asks for them. */
const SHOWN = 100;
/** What the lists of jobs and children of an execution have at most. */
const LISTED = 500;

/**
 * All that belongs together over the four queues: what came in, which trigger it met, the execution, its nodes, their jobs,
 * attempts and outgoing calls, and the executions that nodes started, which open in place.
 */
export function Chain({ execution }: { execution: Execution }) {
  return (
    <div
      className="thin-scroll overflow-x-auto p-3"
      role="region"
      tabIndex={0}
      aria-label={t.execution.chain}
    >
      <Origin execution={execution} />
      <Below>
        <ExecutionRow id={execution.id} known={execution} startsOpen />
      </Below>
    </div>
  );
}

/** What started an execution. */
function Origin({ execution }: { execution: Execution }) {
  const trigger = execution.trigger as Record<string, unknown> & { kind: string };
  const text = (name: string) => (typeof trigger[name] === 'string' ? trigger[name] : '');
  if (text('deliveryId')) return <DeliveryOrigin id={text('deliveryId')} execution={execution.id} />;
  if (text('scheduleId')) {
    return (
      <Row icon="schedules" kind={t.chain.schedule} at={text('scheduledFor')}>
        <IdLink to="/schedules/" id={text('scheduleId')} />{' '}
        <Go to="/jobs" search={{ scheduleId: text('scheduleId') }} className="link text-[13px]">
          {t.chain.jobsOfSchedule}
        </Go>
      </Row>
    );
  }
  if (execution.parent) {
    return (
      <Row icon="executions" kind={t.executions.parent}>
        <IdLink
          to="/executions/"
          id={execution.parent.executionId}
          search={{ view: 'chain', node: execution.parent.nodeId }}
        />{' '}
        <span className="text-soft">{t.execution.atNode(execution.parent.nodeId)}</span>
      </Row>
    );
  }
  return (
    <Row icon="workers" kind={t.chain.caller} at={execution.createdAt}>
      <span className="font-mono text-[13px]">{text('actor') || t.executions.triggers['user']}</span>
      {text('rerunOf') && (
        <>
          {' '}
          {t.execution.triggerFacts['rerunOf']} <IdLink to="/executions/" id={text('rerunOf')} />
        </>
      )}
    </Row>
  );
}

/** The delivery that started an execution, its own job, and the trigger that it met. */
function DeliveryOrigin({ id, execution }: { id: string; execution: string }) {
  const { data: delivery } = useGet('/v1/deliveries/{id}', {
    path: { id },
    query: { maxPayload: PAYLOAD_MAX },
  });
  if (!delivery)
    return (
      <Row icon="deliveries" kind={t.deliveries.one}>
        {id}
      </Row>
    );
  const outcome = delivery.triggers?.find(({ executionId }) => executionId === execution);
  return (
    <>
      {delivery.webhookId && (
        <Row icon="webhooks" kind={t.deliveries.webhook}>
          <IdLink to="/webhooks/" id={delivery.webhookId} />
        </Row>
      )}
      <Row icon="deliveries" kind={t.deliveries.one} status={delivery.status} at={delivery.receivedAt}>
        <Go to={`/deliveries/${delivery.id}`} title={delivery.id}>
          {delivery.eventType ?? delivery.id}
        </Go>
      </Row>
      {delivery.jobId && (
        <Row icon="jobs" kind={t.chain.job(t.queues['workflow-webhook']!)}>
          <IdLink to="/jobs/" id={delivery.jobId} />
        </Row>
      )}
      {outcome && (
        <Row icon="events" kind={t.chain.trigger}>
          <WorkflowLink name={outcome.workflow} tenant={delivery.tenant} />{' '}
          <span className="text-soft">{t.deliveries.results[outcome.result] ?? outcome.result}</span>
        </Row>
      )}
    </>
  );
}

interface ExecutionRowProps {
  id: string;
  known?: Execution;
  startsOpen?: boolean;
}

/** An execution with its nodes, which are read when somebody opens it. */
export function ExecutionRow({ id, known, startsOpen = false }: ExecutionRowProps) {
  const [isOpen, setOpen] = useState(startsOpen);
  const read = useGet(
    '/v1/executions/{id}',
    { path: { id }, query: { maxPayload: PAYLOAD_MAX } },
    { enabled: !known },
  );
  const execution = known ?? read.data;
  return (
    <div data-chain={id}>
      <Row
        icon="executions"
        kind={t.jobs.execution}
        {...(execution ? { status: execution.status, at: execution.createdAt } : {})}
        isOpen={isOpen}
        label={t.chain.nodesOf(id)}
        onToggle={() => setOpen(!isOpen)}
      >
        <Go to={`/executions/${id}`} search={{ view: 'chain' }} title={id}>
          {execution ? `${execution.workflow} v${execution.version}` : id}
        </Go>
      </Row>
      {isOpen && execution && (
        <Below>
          <Nodes execution={execution} />
        </Below>
      )}
    </div>
  );
}

function Nodes({ execution }: { execution: Execution }) {
  const { id } = execution;
  const [shown, setShown] = useState(SHOWN);
  const every = isExecutionOpen(execution.status) ? { every: EVERY_MS } : {};
  const nodes = useGet(
    '/v1/executions/{id}/nodes',
    { path: { id }, query: { items: true, maxPayload: NODE_PAYLOAD_MAX } },
    every,
  );
  const jobs = useAll('/v1/jobs', { query: { executionId: id } }, every);
  const children = useAll('/v1/executions', { query: { parent: id } }, every);
  if (!nodes.data) return <p className="pulse px-1 py-1 text-soft">{t.common.loading}</p>;
  const reached = nodes.data.items.filter(({ status }) => status !== 'PENDING');
  if (reached.length === 0) return <p className="px-1 py-1 text-soft">{t.execution.noNodes}</p>;
  const own = jobs.items?.find((job) => job.id === execution.jobId);
  const isCut = [jobs, children].some(({ items }) => (items?.length ?? 0) >= LISTED);
  const hidden = reached.length - shown;
  return (
    <>
      {isCut && <p className="px-1 py-1 text-soft">{t.chain.cut(LISTED)}</p>}
      {own && <JobRow job={own} />}
      {reached.slice(0, shown).map((node) => (
        <NodeRows
          key={node.nodeId}
          execution={id}
          node={node}
          jobs={jobs.items?.filter((job) => job.nodeId === node.nodeId && job.id !== execution.jobId) ?? []}
          started={children.items?.filter(({ parent }) => parent?.nodeId === node.nodeId) ?? []}
        />
      ))}
      {hidden > 0 && (
        <Button small onClick={() => setShown(shown + SHOWN)}>
          {t.chain.more(Math.min(hidden, SHOWN), hidden)}
        </Button>
      )}
    </>
  );
}

interface NodeProps {
  execution: string;
  node: Node;
  jobs: Schemas['Job'][];
  started: Execution[];
}

function NodeRows({ execution, node, jobs, started }: NodeProps) {
  return (
    <>
      <Row icon="workflows" kind={t.jobs.node} status={node.status} at={node.startedAt}>
        <Go to={`/executions/${execution}`} search={{ view: 'chain', node: node.nodeId }}>
          {node.nodeId}
        </Go>{' '}
        <span className="text-[13px] text-soft">{node.type}</span>
      </Row>
      <Below>
        {jobs.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
        <CallRow node={node} />
        {started.map((child) => (
          <ExecutionRow key={child.id} id={child.id} known={child} />
        ))}
      </Below>
    </>
  );
}
