import { lazy, Suspense, useMemo } from 'react';
import type { QueryOf } from '../api/client';
import { useGet } from '../api/hooks';
import { useFilters } from '../app/filters';
import {
  ASKED,
  chosen,
  isTime,
  LINES,
  METRICS,
  RANGES,
  seriesOf,
  type Metric,
  type Range,
} from '../lib/stats';
import { t } from '../messages/en';
import { Failed, Loading } from './basics';

const History = lazy(() => import('./history'));

/** Figures are up to 15 seconds behind; a longer range changes less with each point, and is more to read. */
const EVERY_MS: Record<Range, number> = { hour: 20_000, day: 60_000, month: 300_000 };

type Of = Pick<QueryOf<'/v1/stats', 'get'>, 'queue' | 'priority' | 'tenant' | 'workflow'>;

/** What is shown and of which time, as the address holds it. */
export function useShown(): { range: Range; metric: Metric } {
  const [filters] = useFilters();
  return {
    range: chosen(RANGES, filters['range'], 'day'),
    metric: chosen(METRICS, filters['show'], 'depth'),
  };
}

/** Chooses what all charts of the page show. */
export function ShownMenu() {
  const [, change] = useFilters();
  const { range, metric } = useShown();
  return (
    <span className="flex flex-wrap gap-2">
      <select
        aria-label={t.figures.metric}
        className="field w-auto py-0.5 text-[13px]"
        value={metric}
        onChange={(event) =>
          change({ show: event.target.value === 'depth' ? undefined : event.target.value })
        }
      >
        {METRICS.map((each) => (
          <option key={each} value={each}>
            {t.figures.metrics[each]}
          </option>
        ))}
      </select>
      <select
        aria-label={t.figures.range}
        className="field w-auto py-0.5 text-[13px]"
        value={range}
        onChange={(event) => change({ range: event.target.value === 'day' ? undefined : event.target.value })}
      >
        {RANGES.map((each) => (
          <option key={each} value={each}>
            {t.figures.ranges[each]}
          </option>
        ))}
      </select>
    </span>
  );
}

/** The points of a queue, tier, tenant or workflow over a range. */
export function useStats(of: Of, range: Range, enabled = true) {
  return useGet('/v1/stats', { query: { ...of, ...ASKED[range] } }, { every: EVERY_MS[range], enabled });
}

/** The chart of what the page shows, of one queue, tenant or workflow. */
export function Figures({ of, name }: { of: Of; name: string }) {
  const { range, metric } = useShown();
  const { data, error } = useStats(of, range);
  const series = useMemo(() => seriesOf(data?.series ?? [], metric), [data, metric]);
  const lines = LINES[metric].map(({ figure, color }) => ({
    label: t.figures.lines[figure] ?? figure,
    color,
  }));
  if (error && !data) return <Failed error={error} />;
  const label = t.figures.label(t.figures.metrics[metric], name, t.figures.ranges[range]);
  return (
    <div className="min-h-44">
      <Suspense fallback={<Loading />}>
        <History label={label} series={series} lines={lines} time={isTime(metric)} />
      </Suspense>
    </div>
  );
}
