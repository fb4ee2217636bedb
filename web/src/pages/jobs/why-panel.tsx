import type { ReactNode } from 'react';
import { Go } from '../../components/go';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { PAYLOAD_MAX } from '../../api/payloads';
import { Button, Card, FactList, Failed, Mono } from '../../components/basics';
import { shortId } from '../../lib/ids';
import { curl } from '../../lib/commands';
import { addressOf } from '../../api/client';
import { isJobOpen } from '../../lib/words';
import { t } from '../../messages/en';
import { CopyButton } from '../../components/copy';
import { Time, useNow } from '../../components/time';
import { estimateStart } from '../../lib/estimate';
import { raised, raisedRate, rateOfKey, rateText, type Rate } from '../../lib/rate';
import { UnpinFor } from '../system/pins';

type Job = Schemas['Job'];
type Why = Schemas['Why'];

/** What holds a job changes also without a hint, such as when it is due. */
const EVERY_MS = 2_000;

/** Reasons of dispatch through Kafka. */
const DISPATCH = [
  'offered',
  'dispatch_draining',
  'no_relay',
  'broker_away',
  'topic_not_created',
  'not_acknowledged',
];
/** Reasons that end when a person does something, or when something comes back. */
const UNKNOWN = ['no_worker', 'no_worker_of_build', 'queue_paused', ...DISPATCH];

/** Why a job does not run, and the one thing that helps. */
export function WhyPanel({ job }: { job: Job }) {
  const every = isJobOpen(job.status) ? EVERY_MS : 0;
  const { data: why, error } = useGet('/v1/jobs/{id}/why', { path: { id: job.id } }, { every });
  if (error && !why) return <Failed error={error} />;
  if (!why) return null;
  const isHeld = isJobOpen(job.status) && !['running', 'finished'].includes(why.reason);
  return (
    <Card title={isHeld ? t.why.title : t.why.titleDone} className={isHeld ? 'border-warn' : ''}>
      <p className="font-medium" data-reason={why.reason}>
        {t.why.reasons[why.reason] ?? why.reason}
      </p>
      <p className="mb-3 text-soft">{why.detail}</p>
      <WhyFacts
        job={job}
        why={why}
        start={isHeld && !UNKNOWN.includes(why.reason) ? <StartsAt job={job} why={why} /> : null}
      />
      {isHeld && <Remedy job={job} why={why} />}
    </Card>
  );
}

/** The limits of what holds a job: of its tenant, workflow or type, or of its queue. */
function placeOfLimit({ reason }: Why, { tenant, workflow, jobType }: Job): Record<string, string> {
  if (reason.endsWith('_tenant')) return { tenant };
  if (reason.endsWith('_workflow') && workflow) return { workflow };
  return reason.endsWith('_job_type') ? { jobType } : {};
}

function WhyFacts({ job, why, start }: { job: Job; why: Why; start?: ReactNode }) {
  const holders = why.holders?.map((id) => (
    <Go key={id} to={`/jobs/${id}`} className="link mr-2" title={id}>
      <Mono>{shortId(id)}</Mono>
    </Go>
  ));
  return (
    <FactList
      facts={[
        [t.why.rank, typeof why.rank === 'number' ? t.why.rankValue(why.rank) : null],
        [
          t.why.limit,
          typeof why.limit === 'number' && (
            <Go key="l" to="/limits" search={placeOfLimit(why, job)}>
              {t.why.limitValue(why.running ?? '?', why.limit)}
            </Go>
          ),
        ],
        [t.why.holders, holders?.length ? holders : null],
        [t.why.rate, why.rate && rateText(why.rate as Rate)],
        [t.why.start, start],
        [t.why.freesWhen, why.freesWhen],
      ]}
    />
  );
}

/** The same of a job that something else waits for, such as a node: what holds it, and the one thing that helps. */
export function WhyOfJob({ id, why }: { id: string; why: Why }) {
  const { data: job } = useGet('/v1/jobs/{id}', { path: { id }, query: { maxPayload: PAYLOAD_MAX } });
  if (!job || !isJobOpen(job.status) || ['running', 'finished'].includes(why.reason)) return null;
  return (
    <div className="mt-1 mb-2 border-l-2 border-line pl-3" data-reason={why.reason}>
      <WhyFacts
        job={job}
        why={why}
        start={UNKNOWN.includes(why.reason) ? null : <StartsAt job={job} why={why} />}
      />
      <Remedy job={job} why={why} />
    </div>
  );
}

/** When it is expected to start, and what that follows from. */
function StartsAt({ job, why }: { job: Job; why: Why }) {
  const lane = {
    queue: job.queue,
    priority: job.priority,
    tenant: job.tenant,
    ...(job.workflow ? { workflow: job.workflow } : {}),
  };
  const isGuess = typeof why.rank === 'number' && !why.canStartAt;
  const query = { ...lane, from: 'now-10m', step: '1m' };
  const { data } = useGet('/v1/stats', { query }, { every: 20_000, enabled: isGuess });
  const estimate = estimateStart(why, job.runAt, data?.series, useNow());
  if (!estimate) return <span className="text-soft">{t.why.startUnknown}</span>;
  return (
    <span data-start={estimate.kind}>
      <Time at={new Date(estimate.at).toISOString()} />{' '}
      <span className="text-[13px] text-soft">
        {t.why.startKinds[estimate.kind](estimate.perMinute ?? 0)}
      </span>
    </span>
  );
}

function Remedy({ job, why }: { job: Job; why: Why }) {
  const mayRetry = useCan('jobs.retry');
  const mayReprioritize = useCan('jobs.reprioritize');
  const mayResume = useCan('queues.operate');
  const maySetLimits = useCan('limits.set');
  const mayLimitWorkflows = useCan('workflows.limit');
  const mayRaise = /_workflow$/.test(why.reason) ? mayLimitWorkflows : maySetLimits;
  const path = { id: job.id };
  const retry = useAct('post', '/v1/jobs/{id}/retry', { done: t.job.retried });
  const resume = useAct('post', '/v1/queues/{queue}/resume', {
    done: t.overview.resumedNow(t.queues[job.queue] ?? job.queue),
  });
  const first = useAct('post', '/v1/jobs/{id}/reprioritize', { done: t.why.firstDone });
  const button = (() => {
    if (why.reason === 'not_due' && mayRetry && job.status !== 'PROCESSING') {
      return (
        <Button look="main" busy={retry.isPending} onClick={() => retry.mutate({ path })}>
          {t.why.runNow}
        </Button>
      );
    }
    if (why.reason === 'queue_paused' && mayResume) {
      return (
        <Button
          look="main"
          busy={resume.isPending}
          onClick={() => resume.mutate({ path: { queue: job.queue } })}
        >
          {t.why.resume}
        </Button>
      );
    }
    if (maySetLimits && job.rateKey && KEY_REASONS.includes(why.reason))
      return <RaiseKey job={job} rateKey={job.rateKey} why={why} />;
    if (why.reason.startsWith('limit_') && why.reason !== 'limit_key' && mayRaise) {
      const to = raised(why.limit ?? 0);
      return typeof why.limit === 'number' ? (
        <Raise job={job} level={why.reason} change={{ maxConcurrent: to }} label={t.why.raise(to)} />
      ) : null;
    }
    if (why.reason.startsWith('rate_') && mayRaise && why.rate) {
      const to = raisedRate(why.rate as Rate);
      return (
        <Raise job={job} level={why.reason} change={{ rate: to }} label={t.why.raiseRate(rateText(to))} />
      );
    }
    if (why.reason === 'behind' && mayReprioritize && job.priority !== 'high') {
      return (
        <Button
          look="main"
          busy={first.isPending}
          onClick={() => first.mutate({ path, body: { priority: 'high' } })}
        >
          {t.why.first}
        </Button>
      );
    }
    if (why.reason === 'no_worker') return <StartWorker job={job} />;
    if (why.reason === 'no_worker_of_build') return <UnpinFor jobType={job.jobType} tenant={job.tenant} />;
    if (DISPATCH.includes(why.reason)) return <Go to="/workers">{t.why.dispatch}</Go>;
    return null;
  })();
  return (
    button && (
      <div className="mt-4" data-remedy={why.reason}>
        {button}
      </div>
    )
  );
}

/** Reasons that follow from the rate of the job's key. */
const KEY_REASONS = ['rate_key', 'limit_rate_key'];

/** Raises the rate of a key, or how many jobs of it run at once: where it is set, which may be for all keys that begin so. */
function RaiseKey({ job, rateKey, why }: { job: Job; rateKey: string; why: Why }) {
  const query = { tenant: job.tenant };
  const { data } = useGet('/v1/rates', { query });
  const put = useAct('put', '/v1/rates/{key}', { done: t.why.raised });
  const set = rateOfKey(data?.items ?? [], rateKey);
  if (!set) return null;
  const rate = set.rate as Rate;
  const isRate = why.reason === 'rate_key';
  const [nextRate, atOnce] = isRate
    ? [raisedRate(rate), set.maxConcurrent]
    : [rate, raised(set.maxConcurrent ?? 0)];
  const body = { rate: nextRate, ...(atOnce ? { maxConcurrent: atOnce } : {}) };
  return (
    <Button
      look="main"
      busy={put.isPending}
      onClick={() => put.mutate({ path: { key: set.key }, query, body: body as never })}
    >
      {isRate ? t.why.raiseRate(rateText(nextRate)) : t.why.raise(atOnce ?? 0)}
    </Button>
  );
}

interface RaiseProps {
  job: Job;
  /** The reason, which names the level: `limit_tenant`, `rate_workflow`, … */
  level: string;
  change: Schemas['LimitChanges'];
  label: string;
}

function Raise({ job, level, change, label }: RaiseProps) {
  const options = { done: t.why.raised };
  const global = useAct('put', '/v1/limits', options);
  const tenant = useAct('put', '/v1/tenants/{tenant}/limits', options);
  const workflow = useAct('put', '/v1/workflows/{name}/limits', options);
  const jobType = useAct('put', '/v1/job-types/{jobType}/limits', options);
  const body = { [job.queue]: change } as never;
  const raise = () => {
    if (level.endsWith('_tenant')) tenant.mutate({ path: { tenant: job.tenant }, body });
    else if (level.endsWith('_job_type')) jobType.mutate({ path: { jobType: job.jobType }, body });
    else if (level.endsWith('_workflow') && job.workflow)
      workflow.mutate({ path: { name: job.workflow }, body });
    else global.mutate({ body });
  };
  const busy = [global, tenant, workflow, jobType].some(({ isPending }) => isPending);
  return (
    <Button look="main" busy={busy} onClick={raise}>
      {label}
    </Button>
  );
}

function StartWorker({ job }: { job: Job }) {
  const url = new URL(addressOf('/v1/jobs/poll'), document.baseURI).href;
  const text = curl(
    'POST',
    url,
    JSON.stringify({ workerId: 'my-worker', jobTypes: [job.jobType], maxJobs: 1, wait: '20s' }),
  );
  return (
    <div className="space-y-1.5">
      <p>{t.why.startWorker}</p>
      <div className="flex items-start gap-1 rounded-lg bg-raised p-2">
        <Mono>{text}</Mono>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
