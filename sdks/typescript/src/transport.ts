// What carries calls to the server. REST is built in; others register themselves when they are imported.
import { ConfigurationError } from "./errors.js";
import type { ChangeEvent } from "./generated/models.js";
import type { Json } from "./json.js";

/** How one call is made. */
export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal | undefined;
  /** How long the call may take, repetitions included, in milliseconds; that of the client where absent. */
  timeoutMs?: number | undefined;
  /** Makes repetitions of a call safe; a random one where absent. */
  idempotencyKey?: string | undefined;
  /** Whether it is repeated after 429, 503 and broken connections; true where absent. */
  retry?: boolean | undefined;
}

/** One call of the interface, named as in the OpenAPI document. */
export interface CallRequest {
  name: string;
  method: string;
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: Json;
  /** Whether the call takes an idempotency key. */
  keyed?: boolean;
}

/** What carries calls. One is shared by a client and its workers, and is safe to use side by side. */
export interface Transport {
  readonly name: string;
  /** Makes a call and gives its answer; throws `ProblemError`, `ConnectionError` or `TimeoutError`. */
  call(request: CallRequest, options?: CallOptions): Promise<Json>;
  /**
   * The changes of the server from when `opened` is called, until the signal is aborted. A broken stream is opened again, and
   * `resync` comes first then.
   */
  events(options?: { signal?: AbortSignal | undefined; opened?: () => void }): AsyncIterable<ChangeEvent>;
  /**
   * How a thread of its own can send heartbeats, so that a handler that blocks the event loop keeps its lease. Absent
   * where heartbeats have to go through `call`.
   */
  readonly heartbeats?: { url: string; headers: Record<string, string> } | undefined;
  close(): Promise<void>;
}

/** What a transport is made of. */
export interface TransportSettings {
  url: string;
  apiKey: string | undefined;
  headers: Record<string, string>;
  timeoutMs: number;
  fetch: typeof fetch | undefined;
}

/** Makes a transport. */
export type TransportFactory = (settings: TransportSettings) => Transport;

const factories = new Map<string, TransportFactory>();

/** Makes a transport known under the name that `TRUNKLINE_TRANSPORT` and `new Client({ transport })` use. */
export function registerTransport(name: string, factory: TransportFactory): void {
  factories.set(name, factory);
}

/** Opens the transport of this name. */
export function openTransport(name: string, settings: TransportSettings): Transport {
  const factory = factories.get(name);
  if (factory) return factory(settings);
  const hint =
    name === "grpc" || name === "kafka"
      ? `this version of trunkline has no ${name} transport: unset TRUNKLINE_TRANSPORT or set it to "rest"`
      : `there is no such transport: TRUNKLINE_TRANSPORT may be one of ${[...factories.keys()].join(", ")}`;
  throw new ConfigurationError(`TRUNKLINE_TRANSPORT=${name}: ${hint}`);
}
