// What carries calls to the server. REST is built in; others register themselves when they are imported.
import { ConfigurationError } from "./errors.js";
import type { LeasedJob, ReportKind } from "./channel.js";
import type { FollowOptions } from "./follow.js";
import type { ChangeEvent, Outcomes } from "./generated/models.js";
import type { Json } from "./json.js";

/** Options of a call. */
export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal | undefined;
  /** Timeout of the call in milliseconds, including retries (default: the client's). */
  timeoutMs?: number | undefined;
  /** Makes retries of a call safe (default: random). */
  idempotencyKey?: string | undefined;
  /** Whether the call is retried after 429, 503 and broken connections (default: true). */
  retry?: boolean | undefined;
}

/** One call of the API, named as in the OpenAPI document. */
export interface CallRequest {
  name: string;
  method: string;
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: Json;
  /** Whether the call takes an idempotency key. */
  keyed?: boolean;
}

/** Sends calls. A transport is shared by a client and its workers, and is safe for concurrent use. */
export interface Transport {
  readonly name: string;
  /** Makes a call and returns its response; throws `ProblemError`, `ConnectionError` or `TimeoutError`. */
  call(request: CallRequest, options?: CallOptions): Promise<Json>;
  /**
   * The changes of the server, from the call of `opened` until the signal is aborted. A broken stream is reopened, and
   * then starts with `resync`.
   */
  events(options?: FollowOptions): AsyncIterable<ChangeEvent>;
  /**
   * How a separate thread can send heartbeats, so that a handler that blocks the event loop keeps its lease. Absent if
   * heartbeats have to use `call`.
   */
  readonly heartbeats?: { url: string; headers: Record<string, string>; protocol?: "grpc" } | undefined;
  /** A stream over which jobs are pushed, if the transport has one; otherwise workers poll. */
  connectWorker?(hello: WorkerHello, listener: StreamListener): JobStream;
  /** A worker takes no more jobs but still sends reports. For transports that have to leave a group. */
  endDelivery?(workerId: string): Promise<void>;
  close(): Promise<void>;
}

/** What a worker says of itself when it opens a stream. */
export interface WorkerHello {
  workerId: string;
  jobTypes: string[];
  lease?: string;
  tenant?: string;
  build?: string;
  builds?: string[];
}

/** What a stream of jobs asks of its worker, and says to it. */
export interface StreamListener {
  /** How many more handlers may begin. */
  freeSlots(): number;
  /** Begins jobs. */
  take(jobs: LeasedJob[]): void;
  /** A job is not the worker's any more. */
  lose(jobId: string, reason: string): void;
  /** An operator drains the worker: it gets no more jobs, and ends. */
  drain(): void;
  /** Something came. */
  heard(): void;
  /** The stream broke, is late or could not be opened. */
  failed(error: unknown): void;
}

/** A stream over which jobs come. It is opened again whenever it breaks. */
export interface JobStream {
  start(): void;
  /** A handler ended. */
  slotsChanged(): void;
  /** Makes a report, over the stream where it is open. */
  report(kind: ReportKind | "heartbeat", jobs: object[], timeoutMs: number): Promise<Outcomes> | undefined;
  /** Takes no more jobs. Reports go on, in calls of their own. */
  stop(): void;
  close(): void;
}

/** Settings of a transport. */
export interface TransportSettings {
  url: string;
  /** Whether the program set the URL itself, rather than the environment or the default. */
  isUrlGiven: boolean;
  apiKey: string | undefined;
  headers: Record<string, string>;
  timeoutMs: number;
  fetch: typeof fetch | undefined;
}

/** Makes a transport. */
export type TransportFactory = (settings: TransportSettings) => Transport;

const factories = new Map<string, TransportFactory>();

/** Registers a transport under the name that `TRUNKLINE_TRANSPORT` and `new Client({ transport })` use. */
export function registerTransport(name: string, factory: TransportFactory): void {
  factories.set(name, factory);
}

/** Opens the transport of this name. */
export function openTransport(name: string, settings: TransportSettings): Transport {
  const factory = factories.get(name);
  if (factory) return factory(settings);
  const hints = new Map([
    ["grpc", 'import "trunkline/grpc" once in the program, after `npm install @grpc/grpc-js @bufbuild/protobuf`'],
    ["kafka", 'import "trunkline/kafka" once in the program, after `npm install kafkajs`'],
  ]);
  const known = [...factories.keys()].join(", ");
  const hint = hints.get(name) ?? `there is no such transport: TRUNKLINE_TRANSPORT may be one of ${known}`;
  throw new ConfigurationError(`TRUNKLINE_TRANSPORT=${name}: ${hint}`);
}
