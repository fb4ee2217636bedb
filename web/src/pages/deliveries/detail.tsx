import { useNavigate, useParams } from '@tanstack/react-router';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { PAYLOAD_MAX } from '../../api/payloads';
import { Button, Card, FactList, Loading, Mono, PageHead } from '../../components/basics';
import { CopyMenu, Id } from '../../components/copy';
import { Go } from '../../components/go';
import { ObjectFailed } from '../../components/object-failed';
import { Status, Tag } from '../../components/status';
import { Time } from '../../components/time';
import { WorkflowLink } from '../../components/workflow-link';
import { cli } from '../../lib/commands';
import { shortId } from '../../lib/ids';
import { t } from '../../messages/en';
import { AuditSlice } from '../system/audit-entry';
import { ExecutionRow } from '../executions/chain';
import { DeliveryBody } from './body';

type Delivery = Schemas['Delivery'];

const LIST = { to: '/deliveries', label: t.deliveries.title };

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { data: delivery, error } = useGet('/v1/deliveries/{id}', {
    path: { id },
    query: { maxPayload: PAYLOAD_MAX },
  });
  const mayOperate = useCan('deliveries.replay');
  const navigate = useNavigate();
  const replay = useAct('post', '/v1/deliveries/{id}/replay', {
    done: t.deliveries.replayed,
    onDone: ({ deliveryId }) => void navigate({ to: `/deliveries/${deliveryId}` as never }),
  });
  if (error && !delivery) return <ObjectFailed error={error} name={id} list={LIST} />;
  if (!delivery) return <Loading />;
  const headers = delivery.headers ?? [];
  return (
    <>
      <PageHead
        crumbs={LIST}
        title={
          <span className="flex flex-wrap items-center gap-3">
            {delivery.eventType ?? t.deliveries.one} <Status status={delivery.status} />
          </span>
        }
        intro={<Id id={delivery.id} />}
      >
        {mayOperate && delivery.status !== 'rejected' && (
          <Button
            look="main"
            icon="refresh"
            busy={replay.isPending}
            onClick={() => replay.mutate({ path: { id } })}
          >
            {t.deliveries.replay}
          </Button>
        )}
        <CopyMenu
          json={delivery}
          path={`/v1/deliveries/${delivery.id}`}
          command={cli('webhook', 'delivery', delivery.id)}
          {...(delivery.curl
            ? { more: [{ label: t.deliveries.resend, text: () => delivery.curl ?? '' }] }
            : {})}
        />
      </PageHead>
      {delivery.reason && (
        <p className="mb-4 rounded-xl border border-bad bg-bad-tint px-4 py-2.5 text-bad">
          {t.deliveries.because(delivery.reason)}
        </p>
      )}
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]">
        <div className="min-w-0 space-y-4">
          <DeliveryBody delivery={delivery} />
          {headers.length > 0 && (
            <Card title={t.deliveries.headers} flush>
              <dl className="divide-y divide-line">
                {headers.map(([name, value], index) => (
                  <div
                    key={`${name} ${index}`}
                    className="grid gap-x-4 px-4 py-1 sm:grid-cols-[14rem_minmax(0,1fr)]"
                  >
                    <dt>
                      <Mono>{name}</Mono>
                    </dt>
                    <dd className="text-soft">
                      <Mono>{value}</Mono>
                    </dd>
                  </div>
                ))}
              </dl>
            </Card>
          )}
        </div>
        <div className="min-w-0 space-y-4">
          <Triggers delivery={delivery} />
          <Woken delivery={delivery} />
          {delivery.executions.length > 0 && (
            <Card title={t.chain.caused}>
              {delivery.executions.map((execution) => (
                <ExecutionRow key={execution} id={execution} />
              ))}
            </Card>
          )}
          <Card title={t.job.facts}>
            <FactList
              facts={[
                [t.deliveries.source, t.deliveries.sources[delivery.source] ?? delivery.source],
                [
                  t.deliveries.webhook,
                  delivery.webhookId && (
                    <Go to={`/webhooks/${delivery.webhookId}`}>
                      <Mono>{shortId(delivery.webhookId)}</Mono>
                    </Go>
                  ),
                ],
                [
                  t.deliveries.request,
                  delivery.method && (
                    <Mono>
                      {delivery.method} {delivery.target}
                    </Mono>
                  ),
                ],
                [t.deliveries.sender, delivery.remoteAddress],
                [
                  t.deliveries.providerEvent,
                  delivery.providerEventId && <Mono>{delivery.providerEventId}</Mono>,
                ],
                [
                  t.deliveries.duplicateOf,
                  delivery.duplicateOf && (
                    <Go to={`/deliveries/${delivery.duplicateOf}`}>
                      <Mono>{shortId(delivery.duplicateOf)}</Mono>
                    </Go>
                  ),
                ],
                [
                  t.deliveries.replayOf,
                  delivery.replayOf && (
                    <Go to={`/deliveries/${delivery.replayOf}`}>
                      <Mono>{shortId(delivery.replayOf)}</Mono>
                    </Go>
                  ),
                ],
                [
                  t.jobs.id,
                  delivery.jobId && (
                    <Go to={`/jobs/${delivery.jobId}`}>
                      <Mono>{shortId(delivery.jobId)}</Mono>
                    </Go>
                  ),
                ],
                [t.deliveries.secret, delivery.secretId && <Mono>{delivery.secretId}</Mono>],
                [t.jobs.tenant, delivery.tenant],
                [t.deliveries.received, <Time key="re" at={delivery.receivedAt} full />],
                [t.deliveries.processed, delivery.processedAt && <Time at={delivery.processedAt} full />],
                [t.job.traceparent, delivery.traceparent && <Mono>{delivery.traceparent}</Mono>],
              ]}
            />
          </Card>
          <AuditSlice subject={delivery.id} />
        </div>
      </div>
    </>
  );
}

/** What each trigger came to, and why. */
function Triggers({ delivery }: { delivery: Delivery }) {
  const outcomes = delivery.triggers ?? [];
  return (
    <Card title={t.webhooks.triggers}>
      {outcomes.length === 0 && <p className="text-soft">{t.deliveries.noTriggers}</p>}
      <ul className="space-y-2">
        {outcomes.map((outcome) => (
          <li key={outcome.triggerId}>
            <span className="flex flex-wrap items-center gap-2">
              <WorkflowLink name={outcome.workflow} tenant={delivery.tenant} />
              <Tag tone={outcome.result === 'started' ? 'ok' : outcome.result === 'error' ? 'bad' : 'rest'}>
                {t.deliveries.results[outcome.result] ?? outcome.result}
              </Tag>
              {outcome.putOffUntil && (
                <span className="text-soft">
                  {t.deliveries.putOff} <Time at={outcome.putOffUntil} />
                </span>
              )}
              {outcome.executionId && (
                <Go to={`/executions/${outcome.executionId}`}>
                  <Mono>{shortId(outcome.executionId)}</Mono>
                </Go>
              )}
            </span>
            {outcome.error && <p className="font-mono text-[13px] text-bad">{outcome.error.message}</p>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Nodes of executions that had waited for it. */
function Woken({ delivery }: { delivery: Delivery }) {
  if (delivery.woke.length === 0) return null;
  return (
    <Card title={t.deliveries.woke}>
      <ul className="space-y-2">
        {delivery.woke.map(({ executionId, nodeId }) => (
          <li key={`${executionId} ${nodeId}`} className="flex flex-wrap items-center gap-2">
            <Go to={`/executions/${executionId}`}>
              <Mono>{shortId(executionId)}</Mono>
            </Go>
            <Mono>{nodeId}</Mono>
          </li>
        ))}
      </ul>
    </Card>
  );
}
