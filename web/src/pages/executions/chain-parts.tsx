import { useState, type ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { useGet } from '../../api/hooks';
import { PAYLOAD_MAX } from '../../api/payloads';
import { Go } from '../../components/go';
import { Icon, type IconName } from '../../components/icons';
import { Status } from '../../components/status';
import { Time } from '../../components/time';
import { shortId } from '../../lib/ids';
import { isRecord } from '../../lib/json';
import { duration } from '../../lib/time';
import { t } from '../../messages/en';

type Node = Schemas['Node'];
type Job = Schemas['Job'];

interface RowProps {
  icon: IconName;
  /** What it is: a delivery, a node, a job. */
  kind: string;
  children: ReactNode;
  status?: string;
  at?: string | null | undefined;
  isOpen?: boolean;
  onToggle?: () => void;
  /** The name of the toggle for those who do not see it. */
  label?: string;
}

/** One link of the chain. */
export function Row({ icon, kind, children, status, at, isOpen, onToggle, label }: RowProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 rounded-md px-1 py-1 hover:bg-raised/60">
      {onToggle ? (
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={label}
          className="rounded p-0.5 text-soft hover:bg-raised hover:text-ink"
          onClick={onToggle}
        >
          <Icon name={isOpen ? 'down' : 'right'} size={14} />
        </button>
      ) : (
        <span className="w-[18px]" />
      )}
      <span className="text-soft">
        <Icon name={icon} size={15} />
      </span>
      <span className="text-[13px] text-soft">{kind}</span>
      <span className="min-w-0 break-words">{children}</span>
      {status && <Status status={status} />}
      {at && (
        <span className="ml-auto text-[13px] text-soft max-sm:hidden">
          <Time at={at} />
        </span>
      )}
    </div>
  );
}

/** What comes after a link of the chain, below it and to the right of its line. */
export function Below({ children }: { children: ReactNode }) {
  return <div className="ml-2.5 border-l border-line pl-3">{children}</div>;
}

/** A job with its attempts, which are read when somebody opens it. */
export function JobRow({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Row
        icon="jobs"
        kind={t.chain.job(t.queues[job.queue] ?? job.queue)}
        status={job.status}
        at={job.createdAt}
        isOpen={isOpen}
        label={t.chain.attemptsOf(job.id)}
        onToggle={() => setOpen(!isOpen)}
      >
        <Go to={`/jobs/${job.id}`} title={job.id}>
          {job.jobType}
        </Go>
      </Row>
      {isOpen && (
        <Below>
          <AttemptRows id={job.id} />
        </Below>
      )}
    </>
  );
}

function AttemptRows({ id }: { id: string }) {
  const { data: job } = useGet('/v1/jobs/{id}', { path: { id }, query: { maxPayload: PAYLOAD_MAX } });
  if (!job) return <p className="pulse px-1 py-1 text-soft">{t.common.loading}</p>;
  const attempts = job.attempts ?? [];
  if (attempts.length === 0) return <p className="px-1 py-1 text-soft">{t.job.noAttempts}</p>;
  return attempts.map((attempt) => (
    <div key={attempt.attemptNumber}>
      <Row
        icon="refresh"
        kind={t.job.attempt(attempt.attemptNumber)}
        status={attempt.status}
        at={attempt.startedAt}
      >
        <span className="text-[13px] text-soft">
          {attempt.workerId} · {duration(attempt.durationMs)}
        </span>
      </Row>
      {attempt.error && (
        <p className="pb-1 pl-7 font-mono text-[13px] break-words text-bad">{attempt.error.message}</p>
      )}
    </div>
  ));
}

/** The request that an HTTP node sent, and what was answered. A large one, or one that is not to be seen, is named only. */
export function CallRow({ node }: { node: Node }) {
  if (node.type !== 'HTTP') return null;
  const input = isRecord(node.input) ? node.input : null;
  const request = input && isRecord(input['request']) ? input['request'] : input;
  const output = isRecord(node.output) ? node.output : {};
  const answered = output['status'];
  return (
    <Row icon="out" kind={t.chain.call}>
      {request ? (
        <span className="font-mono text-[13px] break-all">
          {String(request['method'] ?? 'GET')} {String(request['url'] ?? '')}
        </span>
      ) : (
        <span className="text-soft">{t.chain.callOfNode}</span>
      )}
      {answered !== undefined && <span className="text-soft"> → {String(answered)}</span>}
    </Row>
  );
}

/** A link to an object by its id. */
export function IdLink({ to, id, search }: { to: string; id: string; search?: Record<string, string> }) {
  return (
    <Go to={`${to}${id}`} {...(search ? { search } : {})} title={id} className="link font-mono text-[13px]">
      {shortId(id)}
    </Go>
  );
}
