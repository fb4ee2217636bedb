import type { ReactNode } from 'react';
import { Go } from '../../components/go';
import type { Schemas } from '../../api/client';
import { useGet } from '../../api/hooks';
import { PAYLOAD_MAX } from '../../api/payloads';
import { Card, FactList, Failed, Mono } from '../../components/basics';
import { shortId } from '../../lib/ids';
import { isJobOpen } from '../../lib/words';
import { t } from '../../messages/en';
import { Time, useNow } from '../../components/time';
import { estimateStart } from '../../lib/estimate';
import { placeOf } from '../../lib/limits';
import { rateText, type Rate } from '../../lib/rate';
import { LimitLink } from '../system/limit-link';
import { DISPATCH, Remedy } from './remedy';

type Job = Schemas['Job'];
type Why = Schemas['Why'];

/** What holds a job changes also without a hint, such as when it is due. */
const EVERY_MS = 2_000;

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
            <LimitLink key="l" place={placeOf(why.reason, job) ?? {}}>
              {t.why.limitValue(why.running ?? '?', why.limit)}
            </LimitLink>
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
