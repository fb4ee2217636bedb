import { Go } from '../components/go';
import { useAct, useGet } from '../api/hooks';
import type { Schemas } from '../api/client';
import { useCan, useMe } from '../api/me';
import { Button, Card, Failed, PageHead } from '../components/basics';
import { ConfirmButton } from '../components/dialog';
import { Figures, ShownMenu } from '../components/figures';
import { Icon } from '../components/icons';
import { Status } from '../components/status';
import { duration } from '../lib/time';
import { QUEUES } from '../lib/words';
import { t } from '../messages/en';
import { FiringAlerts, Held, Times } from './overview-parts';
import { DispatchAttention } from './system/dispatch-findings';

type Queue = Schemas['Queue'];
type Counts = Schemas['QueueCounts'];
type Limits = Record<string, Schemas['QueueLimits']>;

const TIERS = ['high', 'normal', 'low'];
/** Waiting for longer than this is worth a look. */
const OLD_MS = 60_000;

/** The page stands before it has counts, which a store of many jobs takes longer for. */
export function OverviewPage() {
  const me = useMe();
  // Limits are those of all tenants together: what one of them processes is no part of them.
  const mayReadLimits = me !== undefined && !me.tenant && me.can.includes('limits.read');
  const { data, error } = useGet('/v1/queues', {}, { every: 3_000 });
  const limits = useGet('/v1/limits', {}, { every: 10_000, enabled: mayReadLimits }).data;
  return (
    <>
      <PageHead title={t.overview.title} intro={t.overview.intro}>
        <ShownMenu />
      </PageHead>
      <div className="space-y-4">
        <FiringAlerts />
        <DispatchAttention />
        {error && !data && <Failed error={error} />}
        {data ? <Attention queues={data.items} /> : !error && <Counting />}
        <div className="grid gap-4 xl:grid-cols-2">
          {QUEUES.map((queue) => (
            <QueueCard
              key={queue}
              id={queue}
              queue={data?.items.find((each) => each.queue === queue)}
              limit={(limits as Limits | undefined)?.[queue]?.maxConcurrent ?? null}
            />
          ))}
        </div>
      </div>
    </>
  );
}

function Counting() {
  return (
    <p className="pulse rounded-xl border border-line bg-card px-4 py-2.5 text-soft" data-counting>
      {t.overview.counting}
    </p>
  );
}

/** What somebody should look at, each with where to. */
function Attention({ queues }: { queues: Queue[] }) {
  const lines = queues.flatMap((queue) => {
    const name = t.queues[queue.queue] ?? queue.queue;
    const found: { text: string; to: string; search: Record<string, string> }[] = [];
    if (queue.paused)
      found.push({
        text: t.overview.paused(name),
        to: '/jobs',
        search: { queue: queue.queue, status: 'QUEUED' },
      });
    else if (queue.mode.startsWith('drain'))
      found.push({ text: t.overview.draining(name), to: '/jobs', search: { queue: queue.queue } });
    if ((queue.oldestAgeMs ?? 0) > OLD_MS) {
      found.push({
        text: t.overview.old(name, duration(queue.oldestAgeMs)),
        to: '/jobs',
        search: { queue: queue.queue, status: 'QUEUED' },
      });
    }
    if (queue.deadLetters > 0) {
      found.push({
        text: t.overview.dead(queue.deadLetters, name),
        to: '/dead-letters',
        search: { queue: queue.queue },
      });
    }
    return found;
  });
  if (lines.length === 0) {
    return (
      <p className="flex items-center gap-2 rounded-xl border border-line bg-ok-tint px-4 py-2.5 text-ok">
        <Icon name="check" />
        {t.overview.calm}
      </p>
    );
  }
  return (
    <section
      aria-label={t.overview.attention}
      className="rounded-xl border border-line bg-warn-tint px-4 py-2.5 text-warn"
    >
      <ul className="space-y-1">
        {lines.map(({ text, to, search }) => (
          <li key={text} className="flex flex-wrap items-center gap-x-3">
            <span className="flex items-center gap-2">
              <Icon name="dead" />
              {text}
            </span>
            <Go to={to} search={search} className="font-medium underline underline-offset-2">
              {t.overview.look}
            </Go>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface QueueCardProps {
  id: (typeof QUEUES)[number];
  /** Its counts, once they are here. */
  queue: Queue | undefined;
  /** How many of its jobs may be processed at once; null is unlimited, or not known. */
  limit: number | null;
}

function QueueCard({ id, queue, limit }: QueueCardProps) {
  const name = t.queues[id] ?? id;
  return (
    <Card
      title={
        <span className="flex items-center gap-2.5">
          <Go to="/jobs" search={{ queue: id }} className="hover:underline">
            {name}
          </Go>
          {queue && (
            <Status
              status={queue.paused ? 'paused' : queue.mode}
              label={t.overview.modes[queue.paused ? 'paused' : queue.mode] ?? queue.mode}
            />
          )}
        </span>
      }
      side={queue && <QueueActions queue={queue} name={name} />}
      flush
    >
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 px-4 py-3 sm:grid-cols-4">
        <Figure
          label={t.overview.queued}
          value={queue?.queued.toLocaleString('en')}
          to={{ queue: id, status: 'QUEUED' }}
        />
        <Figure
          label={t.overview.processing}
          value={queue?.processing.toLocaleString('en')}
          to={{ queue: id, status: 'PROCESSING' }}
          note={limit !== null && t.overview.ofLimit(limit)}
          tone={queue && limit !== null && queue.processing >= limit ? 'text-warn' : ''}
        />
        <Figure
          label={t.overview.oldest}
          value={queue && duration(queue.oldestAgeMs)}
          tone={(queue?.oldestAgeMs ?? 0) > OLD_MS ? 'text-warn' : ''}
        />
        <Figure
          label={t.overview.deadLetters}
          value={queue?.deadLetters.toLocaleString('en')}
          page="/dead-letters"
          to={{ queue: id }}
          tone={queue && queue.deadLetters > 0 ? 'text-bad' : ''}
        />
      </div>
      <div className="px-4 pb-3">
        <Figures of={{ queue: id }} name={name} />
      </div>
      <div className="thin-scroll overflow-x-auto" tabIndex={0} role="region" aria-label={name}>
        <table className="nums w-full text-right">
          <thead>
            <tr className="border-y border-line text-[13px] text-soft">
              <th scope="col" className="py-1.5 pl-4 text-left font-medium">
                {t.overview.tier}
              </th>
              {[
                t.overview.queued,
                t.overview.processing,
                t.overview.retryWait,
                t.overview.scheduled,
                t.overview.parked,
              ].map((label) => (
                <th key={label} scope="col" className="px-2 font-medium">
                  {label}
                </th>
              ))}
              <th scope="col" className="py-1.5 pr-4 pl-2 font-medium">
                {t.overview.oldest}
              </th>
            </tr>
          </thead>
          <tbody>
            {TIERS.map((tier) => (
              <TierRow key={tier} tier={tier} counts={queue?.tiers[tier]} />
            ))}
          </tbody>
        </table>
      </div>
      <Held queue={id} />
      <Times id={id} queue={queue} />
      <dl className="nums flex flex-wrap gap-x-8 gap-y-2 border-t border-line px-4 py-3 text-[13px]">
        <Pair label={t.overview.throughput} value={queue?.throughput1m.toLocaleString('en')} />
      </dl>
    </Card>
  );
}

function TierRow({ tier, counts }: { tier: string; counts: Counts | undefined }) {
  const cells = [counts?.queued, counts?.processing, counts?.retryWait, counts?.scheduled, counts?.waiting];
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="py-1 pl-4 text-left font-normal">
        {tier}
      </th>
      {cells.map((count, index) => (
        <td key={index} className={`px-2 ${count ? '' : 'text-soft'}`}>
          {count?.toLocaleString('en') ?? '–'}
        </td>
      ))}
      <td className="pr-4 pl-2">{duration(counts?.oldestAgeMs)}</td>
    </tr>
  );
}

interface FigureProps {
  label: string;
  /** Nothing while it is not known. */
  value: string | undefined;
  /** What follows it in small. */
  note?: string | false;
  /** The filters of the list that shows what is counted. */
  to?: Record<string, string>;
  page?: string;
  tone?: string;
}

function Figure({ label, value, note, to, page = '/jobs', tone = '' }: FigureProps) {
  const text = <span className={`nums text-xl font-semibold ${tone}`}>{value ?? '–'}</span>;
  return (
    <div>
      <p className="text-[13px] text-soft">{label}</p>
      {to ? (
        <Go to={page} search={to} className="hover:underline">
          {text}
        </Go>
      ) : (
        text
      )}
      {note && <span className="nums text-[13px] text-soft"> {note}</span>}
    </div>
  );
}

function Pair({ label, value }: { label: string; value: string | undefined }) {
  return (
    <div>
      <dt className="text-soft">{label}</dt>
      <dd>{value ?? '–'}</dd>
    </div>
  );
}

function QueueActions({ queue, name }: { queue: Queue; name: string }) {
  const mayOperate = useCan('queues.operate');
  const path = { queue: queue.queue };
  const pause = useAct('post', '/v1/queues/{queue}/pause', { done: t.overview.pausedNow(name) });
  const resume = useAct('post', '/v1/queues/{queue}/resume', { done: t.overview.resumedNow(name) });
  const drain = useAct('post', '/v1/queues/{queue}/drain', { done: t.overview.drainedNow(name) });
  if (!mayOperate) return null;
  const isStopped = queue.paused || queue.mode.startsWith('drain');
  return (
    <span className="flex gap-2">
      {isStopped ? (
        <Button small icon="play" busy={resume.isPending} onClick={() => resume.mutate({ path })}>
          {t.overview.resume}
        </Button>
      ) : (
        <>
          <ConfirmButton
            small
            label={t.overview.drain}
            title={t.overview.drainTitle(name)}
            body={t.overview.drainBody}
            onConfirm={() => drain.mutate({ path })}
          />
          <Button small icon="pause" busy={pause.isPending} onClick={() => pause.mutate({ path })}>
            {t.overview.pause}
          </Button>
        </>
      )}
    </span>
  );
}
