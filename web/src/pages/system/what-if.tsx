import { lazy, Suspense, useMemo, useState } from 'react';
import { Card, Field, Loading } from '../../components/basics';
import { useStats } from '../../components/figures';
import { duration } from '../../lib/time';
import { whatIf } from '../../lib/what-if';
import { QUEUES } from '../../lib/words';
import { t } from '../../messages/en';

const History = lazy(() => import('../../components/history'));

interface WhatIfProps {
  /** The limits that hold now, by queue; null is unlimited. */
  limits: Record<string, number | null | undefined>;
}

/** How the last day would have gone with another limit. Changes nothing. */
export function WhatIfCard({ limits }: WhatIfProps) {
  const [queue, setQueue] = useState<(typeof QUEUES)[number]>('workflow-node');
  const [text, setText] = useState('');
  const { data } = useStats({ queue }, 'day');
  const limit = /^[1-9]\d*$/.test(text) ? Number(text) : (limits[queue] ?? null);
  const points = data?.series;
  const result = useMemo(() => (points && limit !== null ? whatIf(points, limit) : null), [points, limit]);
  const series = useMemo(
    () => ({
      at: points?.map(({ at }) => Date.parse(at) / 1_000) ?? [],
      values: [points?.map(({ queued }) => queued) ?? [], result?.backlog ?? []],
    }),
    [points, result],
  );
  const peak = Math.max(0, ...(points ?? []).map(({ queued }) => queued));
  return (
    <Card title={t.limits.whatIf}>
      <div className="space-y-3">
        <div className="grid gap-3 sm:grid-cols-[14rem_14rem_minmax(0,1fr)]">
          <Field label={t.jobs.queue}>
            <select
              className="field"
              value={queue}
              onChange={(event) => setQueue(event.target.value as (typeof QUEUES)[number])}
            >
              {QUEUES.map((each) => (
                <option key={each} value={each}>
                  {t.queues[each]}
                </option>
              ))}
            </select>
          </Field>
          <Field label={t.limits.whatIfLimit}>
            <input
              className="field nums"
              inputMode="numeric"
              pattern="[0-9]*"
              placeholder={String(limits[queue] ?? t.common.unlimited)}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
          <div aria-live="polite" className="self-end" data-what-if={limit ?? 'unlimited'}>
            {result && limit !== null ? (
              <>
                <p>{t.limits.whatIfPeak(limit, result.peak, peak)}</p>
                <p className="text-[13px] text-soft">
                  {t.limits.whatIfWait(duration(result.longestWaitMs), Math.round(result.busiest * 100))}
                </p>
              </>
            ) : (
              <p className="text-soft">{t.limits.whatIfUnlimited}</p>
            )}
          </div>
        </div>
        <Suspense fallback={<Loading />}>
          <History
            label={t.limits.whatIfChart(t.queues[queue] ?? queue)}
            series={series}
            lines={[
              { label: t.figures.lines['backlog']!, color: 'strong' },
              { label: t.figures.lines['simulated']!, color: 'accent' },
            ]}
          />
        </Suspense>
        <p className="text-[13px] text-soft">{t.limits.whatIfHint}</p>
      </div>
    </Card>
  );
}
