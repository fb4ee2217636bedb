import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { usePreferences } from '../app/preferences';
import type { Series } from '../lib/series';

/** Lines over time, without axes: the numbers stand beside it. */
export default function Chart({
  series,
  label,
  colors,
}: {
  series: Series;
  label: string;
  colors: string[];
}) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const { theme } = usePreferences();
  const lines = colors.join();
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const style = getComputedStyle(document.documentElement);
    const strokes = lines.split(',').map((name) => style.getPropertyValue(`--${name}`).trim());
    const made = new uPlot(
      {
        width: Math.max(60, element.clientWidth),
        height: 44,
        legend: { show: false },
        cursor: { show: false },
        padding: [3, 0, 3, 0],
        axes: [{ show: false }, { show: false }],
        scales: { y: { range: (_, __, max) => [0, Math.max(1, max)] } },
        series: [
          {},
          ...strokes.map((stroke) => ({ stroke, width: 1.6, fill: `${stroke}22`, points: { show: false } })),
        ],
      },
      [[], ...strokes.map(() => [])] as uPlot.AlignedData,
      element,
    );
    plot.current = made;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: Math.max(60, element.clientWidth), height: 44 }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [lines, theme]);
  useEffect(() => {
    plot.current?.setData([series.at, ...series.values] as uPlot.AlignedData);
  }, [series, theme]);
  return <div ref={box} role="img" aria-label={label} className="h-11 w-full overflow-hidden" />;
}
