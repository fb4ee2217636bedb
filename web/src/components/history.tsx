import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { usePreferences, useShownTheme } from '../app/preferences';
import type { Series } from '../lib/stats';
import { compact, duration, instant, zoneOf } from '../lib/time';

const HEIGHT_PX = 150;
const DAY_SEC = 86_400;
/** Steps of an axis of counts, which has no fractions. */
const COUNTS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

export interface HistoryLine {
  label: string;
  /** A color of the theme, such as `ok`. */
  color: string;
}

export interface HistoryProps {
  label: string;
  series: Series;
  lines: HistoryLine[];
  /** Whether the values are milliseconds; counts otherwise. */
  time?: boolean;
}

/** Figures over time. What the pointer is over, or else the newest, stands as numbers above it. */
export default function History({ label, series, lines, time = false }: HistoryProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const { zone } = usePreferences();
  const theme = useShownTheme();
  const look = lines.map(({ color }) => color).join();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const made = new uPlot(optionsOf(element, look.split(','), time, zone, setOver), [[]], element);
    plot.current = made;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: Math.max(120, element.clientWidth), height: HEIGHT_PX }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [look, time, theme, zone]);
  useEffect(() => {
    plot.current?.setData([series.at, ...series.values] as uPlot.AlignedData);
  }, [series, look, time, theme, zone]);
  const index = over !== null && over < series.at.length ? over : series.at.length - 1;
  const at = series.at[index];
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : time ? duration(value) : value.toLocaleString('en');
  return (
    <div data-history={label}>
      <p className="nums flex flex-wrap gap-x-3 text-[13px]">
        {lines.map((line, place) => (
          <span key={line.label} className="inline-flex items-center gap-1.5">
            <span className="h-0.5 w-3" style={{ background: `var(--${line.color})` }} />
            <span className="text-soft">{line.label}</span> {text(series.values[place]?.[index])}
          </span>
        ))}
        {at !== undefined && (
          <span className="text-soft">{instant(at * 1_000, zoneOf(zone)).slice(0, 16)}</span>
        )}
      </p>
      <div ref={box} role="img" aria-label={label} className="w-full overflow-hidden" />
    </div>
  );
}

function optionsOf(
  element: HTMLElement,
  colors: string[],
  time: boolean,
  zone: string,
  onOver: (index: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: color('soft'),
    grid: { stroke: color('line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width: Math.max(120, element.clientWidth),
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    // Room for half of the last time on the axis.
    padding: [6, 18, 0, 0],
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] } },
    axes: [
      { ...axis, size: 22, values: (_, splits) => clocks(splits, zone) },
      {
        ...axis,
        size: 46,
        ...(time ? {} : { incrs: COUNTS }),
        values: (_, splits) => splits.map((value) => (time ? duration(value) : compact(value))),
      },
    ],
    series: [
      {},
      ...colors.map((name) => ({
        stroke: color(name),
        width: 1.5,
        points: { show: false },
        spanGaps: false,
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onOver(cursor.idx ?? null)] },
  };
}

/** The times below a chart: hours, or days where it shows many. */
function clocks(splits: number[], zone: string): string[] {
  const isLong = (splits.at(-1) ?? 0) - (splits[0] ?? 0) > 2 * DAY_SEC;
  return splits.map((at) => {
    const text = instant(at * 1_000, zoneOf(zone));
    return isLong ? text.slice(5, 10) : text.slice(11, 16);
  });
}
