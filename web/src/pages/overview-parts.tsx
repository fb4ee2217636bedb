import { useGet } from '../api/hooks';
import { useCan } from '../api/me';
import { Go } from '../components/go';
import { Icon } from '../components/icons';
import { t } from '../messages/en';

/** Alerts that fire now, above everything else. */
export function FiringAlerts() {
  const mayRead = useCan('alerts.read');
  const query = { status: 'firing', limit: 20 };
  const { data } = useGet('/v1/alerts', { query }, { every: 10_000, enabled: mayRead });
  const firing = data?.items.filter(({ silencedBy }) => !silencedBy) ?? [];
  if (firing.length === 0) return null;
  return (
    <section
      aria-label={t.alerts.title}
      className="rounded-xl border border-bad bg-bad-tint px-4 py-2.5 text-bad"
    >
      <ul className="space-y-1">
        {firing.map((alert) => (
          <li key={alert.id} className="flex flex-wrap items-center gap-x-3">
            <span className="flex items-center gap-2">
              <Icon name="alerts" />
              {t.alerts.firing(alert.summary)}
            </span>
            <Go to="/alerts" className="font-medium underline underline-offset-2">
              {t.overview.look}
            </Go>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Why what is queued does not start: a limit of its own, or nobody who takes it. Nothing where nothing is held. */
export function Held({ queue }: { queue: string }) {
  const { data } = useGet('/v1/queues/{queue}/scaling', { path: { queue } }, { every: 5_000 });
  if (!data || data.queued === 0) return null;
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
      <Go to="/limits" className="link">
        {t.nav.limits}
      </Go>
    </p>
  );
}
