// REST over the built-in fetch: deadlines, repetitions with jitter, problem documents, server-sent events.
import { ConnectionError, ProblemError, TimeoutError } from "./errors.js";
import { followed } from "./follow.js";
import type { FollowOptions } from "./follow.js";
import type { ChangeEvent, Problem } from "./generated/models.js";
import { parseJson, stringifyJson } from "./json.js";
import type { Json } from "./json.js";
import { repeated } from "./repeat.js";
import type { CallOptions, CallRequest, Transport, TransportSettings } from "./transport.js";

// The stream of events has a comment or an event at least this often.
const EVENTS_SILENCE_MAX_MS = 60_000;

/** REST, the default transport. */
export class RestTransport implements Transport {
  readonly name = "rest";
  readonly heartbeats: Transport["heartbeats"];
  private readonly base: string;
  private readonly headers: Record<string, string>;
  private readonly fetch: typeof fetch;

  constructor(private readonly settings: TransportSettings) {
    this.base = settings.url.replace(/\/+$/, "");
    this.headers = { accept: "application/json", ...settings.headers };
    if (settings.apiKey) this.headers["authorization"] = `Bearer ${settings.apiKey}`;
    this.fetch = settings.fetch ?? globalThis.fetch;
    // A fetch of the caller's cannot go to another thread.
    this.heartbeats = settings.fetch ? undefined : { url: `${this.base}/v1/jobs/heartbeat`, headers: this.headers };
  }

  call(request: CallRequest, options: CallOptions = {}): Promise<Json> {
    return repeated(request, options, this.settings.timeoutMs, (key, leftMs) =>
      this.once(request, key, leftMs, options.signal),
    );
  }

  private async once(
    request: CallRequest,
    key: string | undefined,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Json> {
    const headers: Record<string, string> = { ...this.headers };
    if (key !== undefined) headers["idempotency-key"] = key;
    if (request.body !== undefined) headers["content-type"] = "application/json";
    const body = request.body === undefined ? null : stringifyJson(request.body);
    const deadline = new Deadline(timeoutMs, signal);
    let response: Response;
    let text: string;
    try {
      const url = this.base + request.path + queryText(request.query);
      response = await this.fetch(url, { method: request.method, headers, body, signal: deadline.signal });
      text = await response.text();
    } catch (error) {
      throw deadline.explain(error, request);
    } finally {
      deadline.clear();
    }
    if (!response.ok) throw problemOf(response, text);
    if (text === "") return undefined;
    try {
      return parseJson(text);
    } catch (error) {
      throw new ConnectionError(`${request.name}: the answer is not JSON`, { cause: error });
    }
  }

  events(options: FollowOptions = {}): AsyncIterable<ChangeEvent> {
    return followed(() => this.eventsOnce(options.signal), options);
  }

  private async *eventsOnce(signal?: AbortSignal): AsyncGenerator<ChangeEvent | undefined> {
    const deadline = new Deadline(EVENTS_SILENCE_MAX_MS, signal);
    try {
      const headers = { ...this.headers, accept: "text/event-stream" };
      const response = await this.fetch(`${this.base}/v1/events`, { headers, signal: deadline.signal });
      if (!response.ok || !response.body) throw problemOf(response, await response.text());
      yield undefined;
      yield* readEvents(response.body, deadline);
    } catch (error) {
      throw deadline.explain(error, { name: "events" });
    } finally {
      deadline.clear();
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function queryText(query: CallRequest["query"]): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

function problemOf(response: Response, text: string): ProblemError {
  const header = response.headers.get("retry-after");
  const retryAfterMs = header !== null && /^\d{1,6}$/.test(header.trim()) ? Number(header) * 1_000 : undefined;
  let problem: Partial<Problem>;
  try {
    problem = parseJson(text) as Partial<Problem>;
  } catch {
    problem = { detail: text.slice(0, 200) };
  }
  return new ProblemError({ ...problem, status: response.status }, retryAfterMs);
}

async function* readEvents(body: ReadableStream<Uint8Array>, deadline: Deadline): AsyncGenerator<ChangeEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    deadline.restart();
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = block
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart());
      if (data.length === 0) continue;
      // Whoever follows may be busy for longer than a connection may be silent.
      deadline.hold();
      yield parseJson(data.join("\n")) as ChangeEvent;
      deadline.restart();
    }
  }
}

/** One request's time and the caller's signal, as one signal. */
class Deadline {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout;
  private isOver = false;
  private readonly onAbort = (): void => this.controller.abort();

  constructor(
    private readonly ms: number,
    private readonly outer?: AbortSignal | undefined,
  ) {
    this.timer = this.start();
    if (outer?.aborted) this.onAbort();
    outer?.addEventListener("abort", this.onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  restart(): void {
    clearTimeout(this.timer);
    this.timer = this.start();
  }

  hold(): void {
    clearTimeout(this.timer);
  }

  clear(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener("abort", this.onAbort);
  }

  explain(error: unknown, request: { name: string }): unknown {
    if (error instanceof ProblemError) return error;
    if (this.isOver) return new TimeoutError(`${request.name}: no answer within ${this.ms} ms`, { cause: error });
    if (this.outer?.aborted) return this.outer.reason ?? error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    return new ConnectionError(`${request.name}: the server was not reached: ${reason}`, { cause });
  }

  private start(): NodeJS.Timeout {
    return setTimeout(
      () => {
        this.isOver = true;
        this.controller.abort();
      },
      Math.max(0, this.ms),
    );
  }
}
