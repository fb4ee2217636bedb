import { msOf } from './time';

/** A rate as the interface has it: a window as text, or a bucket. */
export type Rate = string | { starts: number; per: string; burst: number };

/** A rate as it is read and typed: `100/1m`, or `100/1m burst 20`. */
export function rateText(rate: Rate | null | undefined): string {
  if (!rate) return '';
  return typeof rate === 'string' ? rate : `${rate.starts}/${rate.per} burst ${rate.burst}`;
}

/** Reads what somebody typed: null for nothing, undefined for what is no rate. */
export function readRate(text: string): Rate | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const [, starts, per, burst] =
    /^(\d+)\s*\/\s*(\d*(?:ms|s|m|h|d))(?:\s+burst\s+(\d+))?$/.exec(trimmed) ?? [];
  if (!starts || !per) return undefined;
  const whole = /^\d/.test(per) ? per : `1${per}`;
  return burst ? { starts: Number(starts), per: whole, burst: Number(burst) } : `${starts}/${whole}`;
}

/** How many starts a rate lets through in a minute; nothing where its period cannot be read. */
export function perMinute(rate: Rate): number | null {
  const [, starts, per] = /^(\d+)\/(\S+)/.exec(rateText(rate)) ?? [];
  const ms = per?.endsWith('ms') ? Number(per.slice(0, -2)) : msOf(per ?? '');
  return ms ? (Number(starts) * 60_000) / ms : null;
}

/** A limit that lets half as many more through. */
export function raised(limit: number): number {
  return Math.max(limit + 1, Math.ceil(limit * 1.5));
}

/** A rate that lets half as many more through. */
export function raisedRate(rate: Rate): Rate {
  if (typeof rate !== 'string') return { ...rate, starts: raised(rate.starts) };
  const [starts, per] = rate.split('/');
  return `${raised(Number(starts))}/${per ?? '1m'}`;
}

/** What is set for a key: for itself, or else the longest beginning that it has. */
export function rateOfKey<R extends { key: string }>(rates: readonly R[], key: string): R | undefined {
  const exact = rates.find((each) => each.key === key);
  const begins = rates.filter((each) => each.key.endsWith('*') && key.startsWith(each.key.slice(0, -1)));
  return exact ?? begins.sort((a, b) => b.key.length - a.key.length)[0];
}
