import { t } from '../messages/en';

type Tone = 'ok' | 'warn' | 'bad' | 'busy' | 'rest';

/** The color of each status of jobs, executions, nodes, deliveries, dead letters and slots. */
const TONES: Record<string, Tone> = {
  COMPLETED: 'ok',
  PROCESSING: 'busy',
  RUNNING: 'busy',
  QUEUED: 'rest',
  SCHEDULED: 'rest',
  PENDING: 'rest',
  WAITING: 'warn',
  RETRY_WAIT: 'warn',
  FAILED: 'bad',
  DEAD_LETTER: 'bad',
  CANCELLED: 'rest',
  COMPENSATING: 'warn',
  SKIPPED: 'rest',
  accepted: 'busy',
  held: 'warn',
  matched: 'ok',
  unmatched: 'warn',
  parked: 'bad',
  duplicate: 'rest',
  rejected: 'bad',
  handshake: 'rest',
  open: 'bad',
  requeued: 'ok',
  archived: 'rest',
  ignored: 'rest',
  fired: 'ok',
  waiting: 'warn',
  skipped: 'rest',
  completed: 'ok',
  timed_out: 'bad',
  cancelled: 'rest',
  paused: 'warn',
  running: 'busy',
  drain: 'warn',
  draining: 'warn',
  active: 'ok',
  revoked: 'rest',
  aborted: 'warn',
  done: 'ok',
  failed: 'bad',
  firing: 'bad',
  pending: 'warn',
  resolved: 'ok',
  sent: 'ok',
  preparing: 'busy',
};

const CLASSES: Record<Tone, string> = {
  ok: 'bg-ok-tint text-ok',
  warn: 'bg-warn-tint text-warn',
  bad: 'bg-bad-tint text-bad',
  busy: 'bg-busy-tint text-busy',
  rest: 'bg-rest-tint text-rest',
};

export function toneOf(status: string): Tone {
  return TONES[status] ?? 'rest';
}

export function Status({ status, label }: { status: string; label?: string }) {
  const tone = toneOf(status);
  const text = label ?? (t.status as Record<string, string>)[status] ?? status;
  const isMoving = tone === 'busy';
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2 py-px text-[13px] font-medium whitespace-nowrap ${CLASSES[tone]}`}
    >
      <span className={`size-1.5 rounded-full bg-current ${isMoving ? 'pulse' : ''}`} />
      {text}
    </span>
  );
}

export function Tag({ children, tone = 'rest' }: { children: React.ReactNode; tone?: Tone }) {
  return (
    <span className={`inline-block rounded-md px-1.5 py-px text-[13px] whitespace-nowrap ${CLASSES[tone]}`}>
      {children}
    </span>
  );
}
