const UNITS: [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** A span in at most two units: `1h 5m`, `3.2s`, `12ms`. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return '–';
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${trim((Math.floor(ms / 100) / 10).toFixed(1))}s`;
  const at = UNITS.findIndex(([, size]) => ms >= size);
  const [name, size] = UNITS[at]!;
  const whole = Math.floor(ms / size);
  const next = UNITS[at + 1];
  const rest = next ? Math.floor((ms % size) / next[1]) : 0;
  return rest > 0 ? `${whole}${name} ${rest}${next![0]}` : `${whole}${name}`;
}

/** How long a span such as `30s`, `5m`, `1h` or `7d` is, in milliseconds; nothing for what is none. */
export function msOf(span: string): number | null {
  const [, count, name] = /^(\d+)(d|h|m|s)$/.exec(span) ?? [];
  const size = UNITS.find(([unit]) => unit === name)?.[1];
  return size === undefined ? null : Number(count) * size;
}

/** A count in few characters: `950`, `1.2k`, `3.4M`. */
export function compact(value: number): string {
  const [size, name] = (
    [
      [1e9, 'G'],
      [1e6, 'M'],
      [1e3, 'k'],
    ] as const
  ).find(([of]) => value >= of) ?? [1, ''];
  return `${trim((value / size).toFixed(1))}${name}`;
}

function trim(text: string): string {
  return text.endsWith('.0') ? text.slice(0, -2) : text;
}

/** How long ago, or in how long: `5m ago`, `in 2h`, `now`. */
export function relative(at: number, now: number): string {
  const span = now - at;
  if (Math.abs(span) < 1_000) return 'now';
  const text = duration(
    Math.abs(span) < 60_000 ? Math.floor(Math.abs(span) / 1_000) * 1_000 : Math.abs(span),
  );
  return span > 0 ? `${text} ago` : `in ${text}`;
}

/** The zone that a preference names; nothing for the browser's own. */
export function zoneOf(preference: string): string | undefined {
  return preference === 'local' ? undefined : preference;
}

/** What the zone that a preference names is called. */
export function nameOfZone(preference: string): string {
  return zoneOf(preference) ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** An instant in a zone, as `2026-11-23 14:05:09.123`. */
export function instant(at: string | number, zone: string | undefined, withMs = false): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const key = zone ?? '';
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      ...(zone ? { timeZone: zone } : {}),
    });
    formats.set(key, format);
  }
  const parts = Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value]));
  const text = `${parts['year']}-${parts['month']}-${parts['day']} ${parts['hour']}:${parts['minute']}:${parts['second']}`;
  return withMs ? `${text}.${String(date.getUTCMilliseconds()).padStart(3, '0')}` : text;
}

/** The instant at which the clocks of a zone show a time such as `2026-11-23T14:05`; nothing for what is no time. */
export function instantOf(shown: string, zone: string | undefined): string | null {
  const wall = Date.parse(`${shown}Z`);
  if (Number.isNaN(wall)) return null;
  // How far the zone is from UTC depends on the instant that is looked for: the second look is right, also near a change of clocks.
  let at = wall;
  for (let look = 0; look < 2; look += 1) at = wall - (clocksAt(at, zone) - at);
  return new Date(at).toISOString();
}

/** What the clocks of a zone show at an instant, read as if they showed UTC. */
function clocksAt(at: number, zone: string | undefined): number {
  return Date.parse(`${instant(at, zone, true).replace(' ', 'T')}Z`);
}

/** Whether a browser knows a zone by this name. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name !== '';
  } catch {
    return false;
  }
}
