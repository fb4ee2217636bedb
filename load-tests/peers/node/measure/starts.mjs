// When each job was sent and when its handler started.

/** The instants of one measurement. */
export class Starts {
  constructor(count) {
    this.sentAt = new Float64Array(count);
    this.startedAt = new Float64Array(count);
    this.left = count;
  }

  sent(number) {
    this.sentAt[number] = performance.now();
  }

  /** A job that is started twice counts with its first start. */
  started(number) {
    if (this.startedAt[number] !== 0) return;
    this.startedAt[number] = performance.now();
    this.left -= 1;
  }

  /** How long each took that was started. */
  milliseconds() {
    return [...this.startedAt.keys()]
      .filter((number) => this.startedAt[number] !== 0)
      .map((number) => this.startedAt[number] - this.sentAt[number]);
  }
}

/** The value below which so many percent lie. */
export function percentile(values, percent) {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.round((percent / 100) * (sorted.length - 1))] ?? null;
}
