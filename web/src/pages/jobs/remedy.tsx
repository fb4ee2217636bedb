import { addressOf, type Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useSetLimits } from '../../api/limits';
import { useCan } from '../../api/me';
import { useOwner } from '../../api/workflows';
import { Button, Mono } from '../../components/basics';
import { CopyButton } from '../../components/copy';
import { Go } from '../../components/go';
import { curl } from '../../lib/commands';
import { placeOf } from '../../lib/limits';
import { raised, raisedRate, rateOfKey, rateText, type Rate } from '../../lib/rate';
import { t } from '../../messages/en';
import { UnpinFor } from '../system/pins';

type Job = Schemas['Job'];
type Why = Schemas['Why'];

/** Reasons of dispatch through Kafka. */
export const DISPATCH = [
  'offered',
  'dispatch_draining',
  'no_relay',
  'broker_away',
  'topic_not_created',
  'not_acknowledged',
];

/** The one thing that helps a job that something holds, where the caller may do it. */
export function Remedy({ job, why }: { job: Job; why: Why }) {
  const mayRetry = useCan('jobs.retry');
  const mayReprioritize = useCan('jobs.reprioritize');
  const maySetLimits = useCan('limits.set');
  const mayLimitWorkflows = useCan('workflows.limit');
  const mayRaise = /_workflow$/.test(why.reason) ? mayLimitWorkflows : maySetLimits;
  const path = { id: job.id };
  const retry = useAct('post', '/v1/jobs/{id}/retry', { done: t.job.retried });
  const first = useAct('post', '/v1/jobs/{id}/reprioritize', { done: t.why.firstDone });
  const button = (() => {
    if (why.reason === 'not_due' && mayRetry && job.status !== 'PROCESSING') {
      return (
        <Button look="main" busy={retry.isPending} onClick={() => retry.mutate({ path })}>
          {t.why.runNow}
        </Button>
      );
    }
    if (why.reason === 'queue_paused') return <Resume job={job} />;
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

/** Raises the limit or the rate that holds the job, and no other. */
function Raise({ job, level, change, label }: RaiseProps) {
  const { set, isPending } = useSetLimits(t.why.raised);
  const place = placeOf(level, job);
  const owner = useOwner(place?.workflow, job.tenant);
  if (!place || (place.workflow && !owner)) return null;
  const held = place.workflow ? { workflow: place.workflow, ...owner } : place;
  return (
    <Button look="main" busy={isPending} onClick={() => set(held, job.queue, change)}>
      {label}
    </Button>
  );
}

/** Resumes what is paused: the queue, or the workflow of an execution. */
function Resume({ job }: { job: Job }) {
  const mayOperate = useCan('queues.operate');
  const mayPause = useCan('workflows.pause');
  const isOfWorkflow = job.queue === 'workflow-execution' && Boolean(job.workflow);
  const queue = useGet('/v1/queues/{queue}', { path: { queue: job.queue } }, { enabled: isOfWorkflow }).data;
  const owner = useOwner(isOfWorkflow ? job.workflow : null, job.tenant);
  const resumeQueue = useAct('post', '/v1/queues/{queue}/resume', {
    done: t.overview.resumedNow(t.queues[job.queue] ?? job.queue),
  });
  const resumeWorkflow = useAct('post', '/v1/workflows/{name}/resume', { done: t.workflows.resumed });
  if (isOfWorkflow && !queue) return null;
  const isQueue = !isOfWorkflow || queue?.paused === true;
  if (isQueue ? !mayOperate : !mayPause || !owner) return null;
  const resume = () => {
    if (isQueue) resumeQueue.mutate({ path: { queue: job.queue } });
    else resumeWorkflow.mutate({ path: { name: job.workflow ?? '' }, query: owner ?? {} });
  };
  return (
    <Button look="main" busy={resumeQueue.isPending || resumeWorkflow.isPending} onClick={resume}>
      {isQueue ? t.why.resume : t.why.resumeWorkflow}
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
