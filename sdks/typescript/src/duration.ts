// Durations as the server writes them, such as "1m 30s" or "250ms".

/** A duration: text such as `"30s"`, `"1m 30s"` or `"250ms"`, or a number of milliseconds. */
export type Duration = string | number;

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration in milliseconds. Throws a `TypeError` for text that is no duration. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === "number") {
    if (!(duration >= 0)) throw new TypeError(`a duration cannot be ${duration}`);
    return duration;
  }
  const parts = duration.trim().match(/(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)/g) ?? [];
  if (parts.length === 0 || parts.join("").replace(/\s/g, "") !== duration.replace(/\s/g, "")) {
    throw new TypeError(`"${duration}" is no duration; write one as "30s", "1m 30s" or "250ms"`);
  }
  return parts.reduce((sum, part) => {
    const [, amount = "0", unit = "ms"] = /([\d.]+)\s*(\w+)/.exec(part) ?? [];
    return sum + Number(amount) * (UNITS[unit] ?? 1);
  }, 0);
}

/** A duration as the server reads it. */
export function durationText(duration: Duration): string {
  return typeof duration === "string" ? duration : `${Math.round(milliseconds(duration))}ms`;
}

/** Waits; ends early, without an error, when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}
