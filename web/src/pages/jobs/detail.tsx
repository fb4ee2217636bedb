import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Go } from '../../components/go';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan, useHidesPayloads } from '../../api/me';
import { omittedOf, PAYLOAD_MAX } from '../../api/payloads';
import { Button, Card, Empty, FactList, Loading, Mono, PageHead } from '../../components/basics';
import { Attributes, hasAttributes } from '../../components/attributes';
import { CopyMenu, Id } from '../../components/copy';
import { ConfirmButton, Dialog } from '../../components/dialog';
import { JsonView } from '../../components/json-view';
import { Log } from '../../components/log-lines';
import { ObjectFailed } from '../../components/object-failed';
import { Payload } from '../../components/payload';
import { Status, Tag } from '../../components/status';
import { Time } from '../../components/time';
import { WorkflowLink } from '../../components/workflow-link';
import { cli } from '../../lib/commands';
import { shortId } from '../../lib/ids';
import { duration } from '../../lib/time';
import { isJobOpen, PRIORITIES } from '../../lib/words';
import { t } from '../../messages/en';
import { NewJob } from './new-job';
import { WhyPanel } from './why-panel';
import { AuditSlice } from '../system/audit-entry';

type Job = Schemas['Job'];

const LIST = { to: '/jobs', label: t.job.back };

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { data: job, error } = useGet('/v1/jobs/{id}', { path: { id }, query: { maxPayload: PAYLOAD_MAX } });
  if (error && !job) return <ObjectFailed error={error} name={id} list={LIST} />;
  if (!job) return <Loading />;
  return (
    <>
      <PageHead
        crumbs={LIST}
        title={
          <span className="flex flex-wrap items-center gap-3">
            {job.jobType} <Status status={job.status} />
          </span>
        }
        intro={<Id id={job.id} />}
      >
        <Actions job={job} />
      </PageHead>
      <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]">
        <div className="min-w-0 space-y-4">
          <WhyPanel job={job} />
          {job.status === 'DEAD_LETTER' && (
            <p className="rounded-xl border border-bad bg-bad-tint px-4 py-2.5 text-bad">
              {t.job.deadLetter}{' '}
              <Go to="/dead-letters" search={lettersOf(job)} className="font-medium underline">
                {t.job.openDeadLetters}
              </Go>
            </p>
          )}
          {job.error && <ErrorCard error={job.error} />}
          <Card title={t.job.data}>
            <Payload value={job.data} omitted={job.omitted} field="data" label={t.job.data} />
          </Card>
          {((job.result !== undefined && job.result !== null) || omittedOf(job.omitted, 'result')) && (
            <Card title={t.job.result}>
              <Payload value={job.result} omitted={job.omitted} field="result" label={t.job.result} />
            </Card>
          )}
          {job.progress !== undefined && job.progress !== null && (
            <Card title={t.job.progress}>
              <JsonView value={job.progress} label={t.job.progress} />
            </Card>
          )}
        </div>
        <div className="min-w-0 space-y-4">
          <Attempts attempts={job.attempts ?? []} />
          <Log
            of={{ job: job.id }}
            attempts={job.attempts?.map(({ attemptNumber }) => attemptNumber) ?? []}
            hideEmpty
          />
          <Facts job={job} />
          <AuditSlice subject={job.id} />
        </div>
      </div>
    </>
  );
}

/** The list of dead letters with the error of a job, or of its type where the error is not known. */
function lettersOf({ fingerprint, jobType }: Job): Record<string, string> {
  return fingerprint ? { view: 'list', fingerprint } : { jobType };
}

/** Whether it stands by itself, so that another one like it can be enqueued. */
const isAlone = ({ queue, executionId }: Job) => queue === 'workflow-node' && !executionId;

function Actions({ job }: { job: Job }) {
  const mayEnqueue = useCan('jobs.enqueue');
  const hidesPayloads = useHidesPayloads();
  const [isCopying, setCopying] = useState(false);
  const close = () => setCopying(false);
  const mayCancel = useCan('jobs.cancel');
  const mayRetry = useCan('jobs.retry');
  const mayReprioritize = useCan('jobs.reprioritize');
  const path = { id: job.id };
  const cancel = useAct('post', '/v1/jobs/{id}/cancel', { done: t.job.cancelled });
  const retry = useAct('post', '/v1/jobs/{id}/retry', { done: t.job.retried });
  const reprioritize = useAct('post', '/v1/jobs/{id}/reprioritize', { done: t.job.reprioritized });
  const isOpen = isJobOpen(job.status);
  return (
    <>
      {mayReprioritize && isOpen && job.status !== 'PROCESSING' && (
        <label className="flex items-center gap-2">
          <span className="text-soft">{t.job.priority}</span>
          <select
            className="field w-auto"
            value={job.priority}
            onChange={(event) =>
              reprioritize.mutate({ path, body: { priority: event.target.value as Job['priority'] } })
            }
          >
            {PRIORITIES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      )}
      {mayRetry && ['SCHEDULED', 'RETRY_WAIT'].includes(job.status) && (
        <Button icon="play" busy={retry.isPending} onClick={() => retry.mutate({ path })}>
          {t.job.retry}
        </Button>
      )}
      {mayCancel && isOpen && (
        <ConfirmButton
          look="danger"
          label={t.job.cancel}
          title={t.job.cancelTitle}
          body={t.job.cancelBody}
          busy={cancel.isPending}
          onConfirm={() => cancel.mutate({ path })}
        />
      )}
      {mayEnqueue && !hidesPayloads && isAlone(job) && (
        <Button icon="plus" onClick={() => setCopying(true)}>
          {t.enqueue.copy}
        </Button>
      )}
      <CopyMenu json={job} path={`/v1/jobs/${job.id}`} command={cli('job', 'show', job.id)} />
      <Dialog title={t.enqueue.copy} intro={t.enqueue.intro} open={isCopying} onClose={close} wide>
        {isCopying && <NewJob from={job} onDone={close} />}
      </Dialog>
    </>
  );
}

export function ErrorCard({ error }: { error: Schemas['JobError'] }) {
  return (
    <Card title={t.job.error}>
      <p className="font-mono text-[13px] break-words whitespace-pre-wrap text-bad">{error.message}</p>
      {error.code && (
        <p className="mt-1">
          <Tag tone="bad">{error.code}</Tag>
        </p>
      )}
      {error.details !== undefined && error.details !== null && (
        <div className="mt-2">
          <JsonView value={error.details} label={t.job.error} />
        </div>
      )}
    </Card>
  );
}

export function Attempts({ attempts }: { attempts: Schemas['Attempt'][] }) {
  return (
    <Card title={t.job.attempts} flush>
      {attempts.length === 0 && <Empty title={t.job.noAttempts}>{t.job.noAttemptsBody}</Empty>}
      <ol>
        {attempts.map((attempt) => (
          <li key={attempt.attemptNumber} className="border-b border-line px-4 py-2.5 last:border-0">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <span className="flex items-center gap-2 font-medium">
                {t.job.attempt(attempt.attemptNumber)} <Status status={attempt.status} />
              </span>
              <span className="nums text-soft">
                <Time at={attempt.startedAt} /> · {duration(attempt.durationMs)}
              </span>
            </div>
            <p className="text-[13px] break-all text-soft">{attempt.workerId}</p>
            {attempt.error && (
              <p className="mt-1 font-mono text-[13px] break-words whitespace-pre-wrap text-bad">
                {attempt.error.message}
              </p>
            )}
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Facts({ job }: { job: Job }) {
  const { backoff } = job;
  return (
    <Card title={t.job.facts}>
      <FactList
        facts={[
          [t.jobs.queue, t.queues[job.queue] ?? job.queue],
          [t.jobs.priority, job.priority],
          [t.jobs.tenant, job.tenant],
          [t.jobs.workflow, job.workflow && <WorkflowLink name={job.workflow} tenant={job.tenant} />],
          [
            t.jobs.execution,
            job.executionId && (
              <>
                <Go to={`/executions/${job.executionId}`}>
                  <Mono>{shortId(job.executionId)}</Mono>
                </Go>{' '}
                <Go
                  to={`/executions/${job.executionId}`}
                  search={{ view: 'chain', ...(job.nodeId ? { node: job.nodeId } : {}) }}
                  className="link text-[13px]"
                >
                  {t.execution.chain}
                </Go>
              </>
            ),
          ],
          [t.jobs.node, job.nodeId],
          [t.job.retries, t.job.retriesOf(job.retryCount, job.maxRetries)],
          [t.job.created, <Time key="c" at={job.createdAt} full />],
          [t.job.runAt, <Time key="r" at={job.runAt} full />],
          [t.job.started, job.processedAt && <Time at={job.processedAt} full />],
          [t.job.completed, job.completedAt && <Time at={job.completedAt} full />],
          [t.job.lease, job.leaseExpiresAt && <Time at={job.leaseExpiresAt} />],
          [t.job.offeredUntil, job.offeredUntil && <Time at={job.offeredUntil} />],
          [t.job.worker, job.workerId],
          [t.job.timeout, job.timeout],
          [
            t.job.backoff,
            backoff.initial && `${backoff.initial} × ${backoff.factor ?? 1} ≤ ${backoff.max ?? '–'}`,
          ],
          [
            t.job.position,
            <span key="p" className="nums">
              {String(job.position)}
            </span>,
          ],
          [t.job.uniqueKey, job.uniqueKey],
          [t.job.concurrencyKey, job.concurrencyKey],
          [t.job.tags, job.tags?.length ? job.tags.map((tag) => <Tag key={tag}>{tag}</Tag>) : null],
          [
            t.job.attributes,
            hasAttributes(job.attributes) && <Attributes key="a" of={job.attributes} to="/jobs" />,
          ],
          [t.job.traceparent, job.traceparent && <Mono>{job.traceparent}</Mono>],
        ]}
      />
    </Card>
  );
}
