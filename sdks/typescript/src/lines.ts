// The lines that handlers log, on their way to the server: gathered over all jobs of a worker, sent in batches, and those of
// a job before its report ends the lease.
import { isTransient } from "./backoff.js";
import type { JobChannel, Lease, LogLine } from "./channel.js";
import type { Logger } from "./context.js";
import { ProblemError } from "./errors.js";
import { stringifyJson } from "./json.js";
import type { Json } from "./json.js";

const LINES_OF_CALL_MAX = 100;
const LINE_BYTES_MAX = 8 * 1024;
// One line less than an attempt may have on the server: the last one says how many were dropped.
const LINES_OF_ATTEMPT_MAX = 999;
const BYTES_OF_ATTEMPT_MAX = 255 * 1024;
// How long a line waits for others.
const PAUSE_MS = 1_000;
const TIMEOUT_MS = 5_000;

type Level = LogLine["level"];

/** The lines of one attempt. */
export class AttemptLines {
  readonly waiting: LogLine[] = [];
  private sequence = 0;
  private bytes = 0;
  private dropped = 0;
  private isClosed = false;

  constructor(
    readonly lease: Lease,
    private readonly onLine: () => void = () => undefined,
  ) {}

  add(level: Level, message: string, fields: Record<string, unknown> | undefined): void {
    if (this.isClosed) return;
    const line = lineOf(level, message, fields);
    const size = Buffer.byteLength(line.message) + (line.fields ? Buffer.byteLength(stringifyJson(line.fields)) : 0);
    if (this.dropped > 0 || this.sequence >= LINES_OF_ATTEMPT_MAX || this.bytes + size > BYTES_OF_ATTEMPT_MAX) {
      this.dropped += 1;
      return;
    }
    this.bytes += size;
    this.put(line);
    this.onLine();
  }

  /** Takes no more; where lines were dropped, a last one says how many. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.dropped > 0) this.put(lineOf("warn", `${this.dropped} more lines were dropped by the worker`, undefined));
  }

  private put(line: LogLine): void {
    this.sequence += 1;
    this.waiting.push({ ...line, sequence: this.sequence });
  }
}

/** Sends the lines of all attempts of a worker. */
export class LineSender {
  private readonly open = new Set<AttemptLines>();
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();
  // A server that knows no lines yet is not asked again.
  private isTaken = true;

  constructor(private readonly channel: JobChannel) {}

  begin(lease: Lease): AttemptLines {
    const lines = new AttemptLines(lease, () => this.plan());
    this.open.add(lines);
    return lines;
  }

  /** Sends what an attempt has logged, before its report ends the lease. Tried once: lines are worth no delay of a report. */
  async end(lines: AttemptLines): Promise<void> {
    lines.close();
    this.open.delete(lines);
    while (this.isTaken && lines.waiting.length > 0) {
      const before = lines.waiting.length;
      await this.send([lines]);
      if (lines.waiting.length === before) return;
    }
  }

  /** The attempt is over, whatever became of it. */
  forget(lines: AttemptLines): void {
    lines.close();
    this.open.delete(lines);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.open.clear();
  }

  private plan(): void {
    if (this.timer || !this.isTaken) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.send([...this.open]).then(() => {
        if ([...this.open].some((lines) => lines.waiting.length > 0)) this.plan();
      });
    }, PAUSE_MS);
    // Lines alone do not keep the process alive.
    this.timer.unref();
  }

  /** One call after the other, so that the lines of an attempt stay in order. */
  private send(from: AttemptLines[]): Promise<void> {
    this.sending = this.sending.then(() => this.sendOnce(from));
    return this.sending;
  }

  private async sendOnce(from: AttemptLines[]): Promise<void> {
    let room = LINES_OF_CALL_MAX;
    const batch: { lines: AttemptLines; sent: LogLine[] }[] = [];
    for (const lines of from) {
      const sent = lines.waiting.slice(0, room);
      room -= sent.length;
      if (sent.length > 0) batch.push({ lines, sent });
    }
    if (batch.length === 0 || !this.isTaken) return;
    try {
      await this.channel.log(
        batch.map(({ lines, sent }) => ({ ...lines.lease, lines: sent })),
        TIMEOUT_MS,
      );
      for (const { lines, sent } of batch) lines.waiting.splice(0, sent.length);
    } catch (error) {
      // Sent again where they may not have arrived: the server keeps a line with the same number once.
      if (!(error instanceof ProblemError) || isTransient(error)) return;
      this.isTaken = error.status !== 404 && error.status !== 405;
      for (const { lines, sent } of batch) lines.waiting.splice(0, sent.length);
    }
  }
}

/** A line as it is sent, within its bounds. */
export function lineOf(level: Level, message: string, fields: Record<string, unknown> | undefined): LogLine {
  const text = cut(clean(message));
  const line: LogLine = { at: new Date().toISOString(), level, message: text };
  const own = fields && Object.keys(fields).length > 0 ? plain(fields) : undefined;
  if (own && Buffer.byteLength(stringifyJson(own)) + Buffer.byteLength(text) <= LINE_BYTES_MAX) line.fields = own;
  return line;
}

/** A logger that also gives its lines to `take`. */
export function teed(logger: Logger, take: AttemptLines["add"]): Logger {
  const line = (level: Level) => (message: string, fields?: Record<string, unknown>) => {
    take(level, message, fields);
    logger[level](message, fields);
  };
  // What nobody looks for is not sent: `debug` stays here.
  return {
    debug: (message, fields) => logger.debug(message, fields),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
  };
}

/** The server takes neither NUL nor half of a character. */
function clean(text: string): string {
  return text.replaceAll("\0", "\uFFFD").replace(/\p{Surrogate}/gu, "\uFFFD");
}

function cut(message: string): string {
  if (Buffer.byteLength(message) <= LINE_BYTES_MAX) return message;
  const bytes = Buffer.from(message).subarray(0, LINE_BYTES_MAX - 8);
  return `${bytes.toString("utf8").replace(/\uFFFD$/u, "")}…`;
}

/** What JSON can hold; anything else as text. A log line never fails its handler. */
function plain(fields: Record<string, unknown>): Record<string, Json> {
  const entries = Object.entries(fields).map(([name, value]): [string, Json] => {
    if (value instanceof Error) return [name, clean(value.stack ?? value.message)];
    try {
      const text = JSON.stringify(value) as string | undefined;
      return [
        name,
        text === undefined ? clean(String(value)) : (JSON.parse(clean(text.replaceAll("\\u0000", ""))) as Json),
      ];
    } catch {
      return [name, clean(String(value))];
    }
  });
  return Object.fromEntries(entries);
}
