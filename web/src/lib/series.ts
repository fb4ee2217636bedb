/** Figures over time, kept while the page is open: the server has no history of them. */
export interface Series {
  at: number[];
  values: number[][];
}

/** Adds figures and forgets those before the window. */
export function push(series: Series, now: number, figures: number[], windowSec: number): Series {
  const from = series.at.findIndex((at) => at >= now - windowSec);
  const keep = from < 0 ? series.at.length : from;
  return {
    at: [...series.at.slice(keep), now],
    values: figures.map((figure, index) => [...(series.values[index] ?? []).slice(keep), figure]),
  };
}
