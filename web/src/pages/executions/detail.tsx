import { useParams } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo } from 'react';
import type { Schemas } from '../../api/client';
import { useGet } from '../../api/hooks';
import { NODE_PAYLOAD_MAX, PAYLOAD_MAX } from '../../api/payloads';
import { useVersionOf } from '../../api/workflows';
import { useFilters } from '../../app/filters';
import { Card, FactList, Failed, Loading, Mono, PageHead } from '../../components/basics';
import { Attributes, hasAttributes } from '../../components/attributes';
import { Id } from '../../components/copy';
import { Go } from '../../components/go';
import { GraphView } from '../../components/graph-view';
import { Log } from '../../components/log-lines';
import { ObjectFailed } from '../../components/object-failed';
import { Payload } from '../../components/payload';
import { Status, Tag } from '../../components/status';
import { Tabs } from '../../components/tabs';
import { Span, Time } from '../../components/time';
import { WorkflowLink } from '../../components/workflow-link';
import { graphOf } from '../../lib/graph';
import { shortId } from '../../lib/ids';
import { isExecutionOpen } from '../../lib/words';
import { t } from '../../messages/en';
import { Chain } from './chain';
import { ExecutionActions } from './actions';
import { Events } from './events';
import { Moments } from './moments';
import { NodePanel } from './node-panel';
import { Timeline } from './timeline';
import { newestMove } from './follow';
import { WhyOfJob } from '../jobs/why-panel';
import { AuditSlice } from '../system/audit-entry';

type Execution = Schemas['Execution'];

const LIST = { to: '/executions', label: t.executions.title };

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const [filters, change] = useFilters();
  const { data: execution, error } = useGet(
    '/v1/executions/{id}',
    { path: { id }, query: { maxPayload: PAYLOAD_MAX } },
    { every: (data) => (data && !isExecutionOpen(data.status) ? 0 : 5_000) },
  );
  const isOpen = execution ? isExecutionOpen(execution.status) : false;
  const nodes = useGet(
    '/v1/executions/{id}/nodes',
    { path: { id }, query: { items: true, maxPayload: NODE_PAYLOAD_MAX } },
    { every: isOpen ? 3_000 : 0 },
  );
  const version = useVersionOf(execution);
  const items = useMemo(() => nodes.data?.items ?? [], [nodes.data]);
  const graph = useMemo(() => graphOf(version.data?.definition), [version.data]);
  const states = useMemo(
    () =>
      Object.fromEntries(
        items.map((node) => [
          node.nodeId,
          {
            status: node.status,
            note: node.mapItems ? `${node.mapItems.completed} / ${node.mapItems.total}` : undefined,
          },
        ]),
      ),
    [items],
  );
  const isFollowing = filters['follow'] === 'on' && isOpen;
  const selected = filters['node'];
  const node = useNode(id, items, selected);
  const moved = isFollowing ? newestMove(items) : undefined;
  useEffect(() => {
    if (moved && moved !== selected) change({ node: moved });
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [moved]);
  if (error && !execution) return <ObjectFailed error={error} name={id} list={LIST} />;
  if (!execution) return <Loading />;
  const select = (node: string) => change({ node, follow: undefined });
  const view = filters['view'] ?? 'graph';
  return (
    <>
      <PageHead
        crumbs={LIST}
        title={
          <span className="flex flex-wrap items-center gap-3">
            {execution.workflow} <span className="font-normal text-soft">v{execution.version}</span>{' '}
            <Status status={execution.status} />
          </span>
        }
        intro={<Id id={execution.id} />}
      >
        <ExecutionActions execution={execution} nodes={items} graph={graph} />
      </PageHead>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]">
        <div className="min-w-0 space-y-4">
          {isOpen && <WhyCard execution={execution} onSelect={select} />}
          {execution.error && (
            <div className="rounded-xl border border-bad bg-bad-tint px-4 py-2.5 text-bad">
              <p className="font-mono text-[13px] break-words whitespace-pre-wrap">
                {execution.error.message}
              </p>
              {execution.error.node && (
                <button
                  type="button"
                  className="mt-1 underline"
                  onClick={() => select(execution.error!.node!)}
                >
                  {t.execution.atNode(execution.error.node)}
                </button>
              )}
            </div>
          )}
          <Card
            title={
              <Tabs
                label={t.execution.views}
                tabs={[
                  ['graph', t.execution.graph],
                  ['timeline', t.execution.timeline],
                  ['events', t.execution.events],
                  ['chain', t.execution.chain],
                  ['log', t.job.log],
                ]}
                value={view}
                onChange={(next) => change({ view: next })}
              />
            }
            side={
              isOpen && (
                <label className="flex items-center gap-2 text-[13px]">
                  <input
                    type="checkbox"
                    className="size-4 accent-(--accent)"
                    checked={isFollowing}
                    onChange={(event) => change({ follow: event.target.checked ? 'on' : undefined })}
                  />
                  {t.execution.follow}
                </label>
              )
            }
            flush
          >
            {view === 'graph' && (
              <Suspense fallback={<Loading />}>
                {version.data ? (
                  <Moments id={id} graph={graph} isOpen={isOpen} states={states}>
                    {(shown) => (
                      <GraphView
                        graph={graph}
                        states={shown}
                        selected={selected}
                        onSelect={select}
                        follow={isFollowing}
                        label={t.execution.graph}
                      />
                    )}
                  </Moments>
                ) : version.error ? (
                  <Failed error={version.error} />
                ) : (
                  <Loading />
                )}
              </Suspense>
            )}
            {view === 'timeline' && (
              <Timeline
                execution={id}
                nodes={items}
                selected={selected}
                follow={isFollowing}
                onSelect={select}
              />
            )}
            {view === 'chain' && <Chain execution={execution} />}
            {view === 'log' && <Log of={{ execution: id }} />}
            {view === 'events' && <Events id={id} selected={selected} onSelect={select} />}
          </Card>
          <div className="grid gap-4 lg:grid-cols-2">
            <Card title={t.execution.input}>
              <Payload
                value={execution.input}
                omitted={execution.omitted}
                field="input"
                label={t.execution.input}
              />
            </Card>
            <Card title={t.execution.output}>
              <Payload
                value={execution.output ?? undefined}
                omitted={execution.omitted}
                field="output"
                label={t.execution.output}
              />
            </Card>
          </div>
        </div>
        <div className="min-w-0 space-y-4">
          {nodes.error && !nodes.data && <Failed error={nodes.error} />}
          <NodePanel execution={execution} node={node} nodes={items} onSelect={select} />
          <Facts execution={execution} />
          <AuditSlice subject={execution.id} />
        </div>
      </div>
    </>
  );
}

/** The chosen node. Of a `MAP` with very many items some are not listed: such a one is read by itself. */
function useNode(id: string, listed: Schemas['Node'][], selected: string | undefined) {
  const found = listed.find(({ nodeId }) => nodeId === selected);
  const map = selected?.endsWith(']') ? selected.slice(0, selected.indexOf('[')) : undefined;
  const isBehind = !found && listed.some(({ nodeId, mapItems }) => nodeId === map && mapItems);
  const { data } = useGet(
    '/v1/executions/{id}/nodes/{nodeId}',
    { path: { id, nodeId: selected ?? '' }, query: { maxPayload: NODE_PAYLOAD_MAX } },
    { enabled: isBehind },
  );
  return found ?? (isBehind && data?.nodeId === selected ? data : undefined);
}

/** Of so many jobs at most it says what helps; the others have the same reasons as a rule. */
const REMEDIES_MAX = 3;

interface WhyProps {
  execution: Execution;
  onSelect: (node: string) => void;
}

/** What it waits for, itself and its nodes, with what holds their jobs and what helps. */
function WhyCard({ execution: { id, jobId }, onSelect }: WhyProps) {
  const { data: why } = useGet('/v1/executions/{id}/why', { path: { id } }, { every: 3_000 });
  if (!why || why.reason === 'finished' || why.reason === 'running') return null;
  const helped = why.waitsFor.filter((wait) => wait.job && wait.jobId).slice(0, REMEDIES_MAX);
  return (
    <Card title={t.execution.why} className="border-warn">
      {why.waitsFor.length === 0 && <p>{why.detail}</p>}
      {why.job && <WhyOfJob id={jobId} why={why.job} />}
      <ul className="space-y-1.5">
        {why.waitsFor.map((wait) => (
          <li key={wait.nodeId}>
            <div className="flex flex-wrap items-baseline gap-x-2">
              <button type="button" className="link font-medium" onClick={() => onSelect(wait.nodeId)}>
                {wait.nodeId}
              </button>
              <span>{wait.detail}</span>
              {(wait.job?.canStartAt ?? wait.until) && (
                <span className="text-soft">
                  <Time at={wait.job?.canStartAt ?? wait.until} />
                </span>
              )}
              {wait.jobId && <Go to={`/jobs/${wait.jobId}`}>{t.execution.job}</Go>}
              {wait.executionId && <Go to={`/executions/${wait.executionId}`}>{t.execution.child}</Go>}
            </div>
            {wait.job && wait.jobId && helped.includes(wait) && (
              <WhyOfJob key={wait.jobId} id={wait.jobId} why={wait.job} />
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Facts({ execution }: { execution: Execution }) {
  const trigger = execution.trigger as Record<string, unknown> & { kind: string };
  const links: Record<string, string> = {
    scheduleId: '/schedules/',
    deliveryId: '/deliveries/',
    webhookId: '/webhooks/',
    executionId: '/executions/',
  };
  return (
    <Card title={t.job.facts}>
      <FactList
        facts={[
          [
            t.jobs.workflow,
            <WorkflowLink
              key="w"
              name={execution.workflow}
              version={execution.version}
              tenant={execution.tenant}
            >
              {execution.workflow} v{execution.version}
            </WorkflowLink>,
          ],
          [t.executions.trigger, t.executions.triggers[trigger.kind] ?? trigger.kind],
          ...Object.entries(trigger)
            .filter(([name, value]) => name !== 'kind' && value !== null)
            .map(([name, value]): [string, React.ReactNode] => [
              t.execution.triggerFacts[name] ?? name,
              links[name] ? (
                <Go key={name} to={links[name] + String(value)}>
                  <Mono>{shortId(String(value))}</Mono>
                </Go>
              ) : (
                String(value)
              ),
            ]),
          [t.jobs.tenant, execution.tenant],
          [t.jobs.priority, execution.priority],
          [
            t.execution.ownJob,
            <Go key="j" to={`/jobs/${execution.jobId}`}>
              <Mono>{shortId(execution.jobId)}</Mono>
            </Go>,
          ],
          [
            t.execution.nodeJobs,
            <Go key="n" to="/jobs" search={{ executionId: execution.id }}>
              {t.execution.show}
            </Go>,
          ],
          [
            t.executions.parent,
            execution.parent && (
              <Go
                to={`/executions/${execution.parent.executionId}`}
                search={{ node: execution.parent.nodeId }}
              >
                <Mono>{shortId(execution.parent.executionId)}</Mono>
              </Go>
            ),
          ],
          [
            t.execution.children,
            <Go key="ch" to="/executions" search={{ parent: execution.id }}>
              {t.execution.show}
            </Go>,
          ],
          [t.executions.correlation, execution.correlationId],
          [
            t.job.tags,
            execution.tags?.length ? execution.tags.map((tag) => <Tag key={tag}>{tag}</Tag>) : null,
          ],
          [
            t.job.attributes,
            hasAttributes(execution.attributes) && (
              <Attributes key="a" of={execution.attributes} to="/executions" />
            ),
          ],
          [t.job.created, <Time key="c" at={execution.createdAt} full />],
          [t.job.started, execution.startedAt && <Time at={execution.startedAt} full />],
          [t.job.completed, execution.completedAt && <Time at={execution.completedAt} full />],
          [t.job.took, execution.startedAt && <Span from={execution.startedAt} to={execution.completedAt} />],
          [t.job.traceparent, execution.traceparent && <Mono>{execution.traceparent}</Mono>],
        ]}
      />
    </Card>
  );
}
