import type { Schemas } from '../api/client';
import { useGet } from '../api/hooks';
import { useCan } from '../api/me';
import { Go } from '../components/go';
import { Icon } from '../components/icons';
import { newestTimes } from '../lib/stats';
import { duration } from '../lib/time';
import { t } from '../messages/en';

/** More of them have one line for all. */
const ALERTS_SHOWN = 5;
const ALERTS_SHOWN_SMALL = 2;

/** Alerts that fire now, above everything else. */
export function FiringAlerts() {
  const mayRead = useCan('alerts.read');
  const query = { status: 'firing', limit: 200 };
  const { data } = useGet('/v1/alerts', { query }, { every: 10_000, enabled: mayRead });
  const firing = data?.items.filter(({ silencedBy }) => !silencedBy) ?? [];
  if (firing.length === 0) return null;
  return (
    <section
      aria-label={t.alerts.title}
      className="rounded-xl border border-bad bg-bad-tint px-4 py-2.5 text-bad"
    >
      <ul className="space-y-1">
        {firing.slice(0, ALERTS_SHOWN).map((alert, index) => (
          <li
            key={alert.id}
            className={`flex items-start gap-2 ${index < ALERTS_SHOWN_SMALL ? '' : 'max-sm:hidden'}`}
          >
            <span className="mt-0.5 shrink-0">
              <Icon name="alerts" />
            </span>
            <span className="min-w-0 break-words">{t.alerts.firing(alert.summary)}</span>
            <Go to="/alerts" className="font-medium underline underline-offset-2">
              {t.overview.look}
            </Go>
          </li>
        ))}
        {firing.length > ALERTS_SHOWN_SMALL && (
          <li className={firing.length > ALERTS_SHOWN ? '' : 'sm:hidden'}>
            <Go to="/alerts" className="font-medium underline underline-offset-2">
              {t.alerts.inAll(firing.length)}
            </Go>
          </li>
        )}
      </ul>
    </section>
  );
}

/** Why what is queued does not start: a limit of its own, or nobody who takes it. Nothing where nothing is held. */
export function Held({ queue }: { queue: string }) {
  const { data } = useGet('/v1/queues/{queue}/scaling', { path: { queue } }, { every: 5_000 });
  if (!data || (data.queued === 0 && data.offered === 0)) return null;
  const parts: [string, number, string][] = [
    [t.overview.heldByLimit, data.heldByLimit, 'text-warn'],
    [t.overview.noWorker, data.noWorker, 'text-bad'],
  ];
  return (
    <p className="nums flex flex-wrap gap-x-4 border-t border-line px-4 py-2 text-[13px]" data-held={queue}>
      <span className="text-soft">{t.overview.ofQueued(data.queued)}</span>
      {parts.map(([label, count, tone]) => (
        <span key={label} className={count > 0 ? tone : 'text-soft'}>
          {count.toLocaleString('en')} {label}
        </span>
      ))}
      {data.offered > 0 && <span className="text-warn">{t.overview.offered(data.offered)}</span>}
      <Go to="/limits" className="link">
        {t.nav.limits}
      </Go>
    </p>
  );
}

const TIERS = ['high', 'normal', 'low'] as const;
/** The times of tiers are those of an hour, which change little. */
const TIMES_EVERY_MS = 60_000;

type Queue = Schemas['Queue'];
type Three = [number | null | undefined, number | null | undefined, number | null | undefined];

/** How long jobs of a queue wait and run: of all in the last minute, of each tier in the hour. */
export function Times({ id, queue }: { id: Queue['queue']; queue: Queue | undefined }) {
  const threeOf = (value: Schemas['Percentiles'] | null | undefined): Three => [
    value?.p50,
    value?.p95,
    value?.p99,
  ];
  return (
    <div
      className="thin-scroll overflow-x-auto border-t border-line"
      tabIndex={0}
      role="region"
      aria-label={`${t.figures.percentiles}: ${t.queues[id] ?? id}`}
    >
      <table className="nums w-full text-right text-[13px]" data-times={id}>
        <thead>
          <tr className="text-soft">
            <th scope="col" className="py-1.5 pl-4 text-left font-medium">
              {t.figures.percentiles}
            </th>
            {[t.figures.wait, t.figures.run].map((what) =>
              ['p50', 'p95', 'p99'].map((name) => (
                <th key={what + name} scope="col" className="px-2 font-medium">
                  {name === 'p50' ? `${what} ${name}` : name}
                </th>
              )),
            )}
            <th scope="col" className="px-2 pr-4 font-medium">
              {t.overview.errors}
            </th>
          </tr>
        </thead>
        <tbody>
          <TimesRow
            label={t.figures.lastMinute}
            wait={threeOf(queue?.waitMs)}
            run={threeOf(queue?.runMs)}
            errors={queue?.errorRate1m}
          />
          {TIERS.map((tier) => (
            <TierTimes key={tier} queue={id} tier={tier} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A tier in the current hour, or the one before. Nothing where nothing was claimed. */
function TierTimes({ queue, tier }: { queue: Queue['queue']; tier: (typeof TIERS)[number] }) {
  const query = { queue, priority: tier, from: 'now-1h', step: '1h' };
  const { data } = useGet('/v1/stats', { query }, { every: TIMES_EVERY_MS });
  const point = newestTimes(data?.series);
  if (!point) return null;
  const ended = point.completed + point.failed;
  return (
    <TimesRow
      label={t.figures.tierHour(tier)}
      wait={[point.waitP50, point.waitP95, point.waitP99]}
      run={[point.runP50, point.runP95, point.runP99]}
      errors={ended > 0 ? point.failed / ended : undefined}
    />
  );
}

interface TimesRowProps {
  label: string;
  wait: Three;
  run: Three;
  /** The part of what ended that did not complete, from 0 to 1. */
  errors: number | undefined;
}

function TimesRow({ label, wait, run, errors }: TimesRowProps) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 pl-4 text-left font-normal whitespace-nowrap">
        {label}
      </th>
      {[...wait, ...run].map((ms, index) => (
        <td key={index} className={`px-2 ${ms === null || ms === undefined ? 'text-soft' : ''}`}>
          {duration(ms)}
        </td>
      ))}
      <td className={`px-2 pr-4 ${errors ? 'text-warn' : 'text-soft'}`}>
        {errors === undefined ? '–' : `${(errors * 100).toFixed(1)} %`}
      </td>
    </tr>
  );
}
