// The transport over gRPC: the calls of REST by the methods that mirror them. Nothing goes over REST.
import { Metadata } from "@grpc/grpc-js";
import type { ChannelCredentials, ServiceError } from "@grpc/grpc-js";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Message } from "@bufbuild/protobuf";
import { milliseconds } from "../duration.js";
import type { Duration } from "../duration.js";
import { ProblemError, TimeoutError } from "../errors.js";
import { followed } from "../follow.js";
import type { FollowOptions } from "../follow.js";
import type { ChangeEvent } from "../generated/models.js";
import type { Json } from "../json.js";
import { repeated } from "../repeat.js";
import type {
  CallOptions,
  CallRequest,
  JobStream,
  StreamListener,
  Transport,
  TransportSettings,
  WorkerHello,
} from "../transport.js";
import { methodFor } from "./contract.js";
import type { Match } from "./contract.js";
import { Link } from "./link.js";
import { errorOf } from "./status.js";
import { KeptStream } from "./stream.js";
import { read, write } from "./values.js";

/** Options of a transport over gRPC. */
export interface GrpcOptions {
  apiKey?: string | undefined;
  /** Sent with every call. */
  headers?: Record<string, string>;
  /** Timeout of a call, including retries (default: 30 s). */
  timeout?: Duration;
  /** Credentials of grpc-js, for example for mutual TLS (default: by the protocol of the URL). */
  credentials?: ChannelCredentials;
  /** How often a worker sends a message over its stream (default: 20 s, like the server). */
  alive?: Duration;
  /** A worker stream on which nothing arrives from the server for this time is closed (default: 60 s). */
  silence?: Duration;
}

/** Sends calls over gRPC. Safe to share. */
export class GrpcTransport implements Transport {
  readonly name = "grpc";
  readonly link: Link;
  readonly aliveMs: number;
  readonly silenceMs: number;
  readonly heartbeats: Transport["heartbeats"];
  private readonly headers: Record<string, string>;
  private readonly timeoutMs: number;

  /** `url` is that of the gRPC interface, such as `http://127.0.0.1:9090`. */
  constructor(url: string, options: GrpcOptions = {}) {
    this.link = new Link(url, options.credentials);
    this.headers = { ...options.headers };
    if (options.apiKey) this.headers["authorization"] = `Bearer ${options.apiKey}`;
    this.timeoutMs = milliseconds(options.timeout ?? 30_000);
    this.aliveMs = milliseconds(options.alive ?? 20_000);
    this.silenceMs = milliseconds(options.silence ?? 60_000);
    // Credentials cannot go to another thread: heartbeats then share the event loop with handlers.
    this.heartbeats = options.credentials
      ? undefined
      : { url: `${new URL(url).protocol}//${this.link.address}`, headers: this.headers, protocol: "grpc" };
  }

  /** Uses `TRUNKLINE_GRPC_URL` (default: port 9090 of the host of `TRUNKLINE_URL`) and `TRUNKLINE_API_KEY`. */
  static fromEnvironment(options: GrpcOptions = {}): GrpcTransport {
    const url = grpcUrl(process.env["TRUNKLINE_URL"] || "http://127.0.0.1:8080", false);
    return new GrpcTransport(url, { apiKey: process.env["TRUNKLINE_API_KEY"], ...options });
  }

  metadata(key?: string): Metadata {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(this.headers)) metadata.set(name, value);
    if (key !== undefined) metadata.set("idempotency-key", key);
    return metadata;
  }

  async call(request: CallRequest, options: CallOptions = {}): Promise<Json> {
    const isWaiting = request.query?.["wait"] === true || request.query?.["wait"] === "true";
    const match = methodFor(request.method, request.path, isWaiting);
    if (!match || match.method.isStream) throw onlyRest(request.name);
    const message = requestOf(match, request);
    return repeated(request, options, this.timeoutMs, (key, leftMs) =>
      this.once(request.name, match, message, this.metadata(key), leftMs, options.signal),
    );
  }

  connectWorker(hello: WorkerHello, listener: StreamListener): JobStream {
    return new KeptStream(this, hello, listener);
  }

  events(options: FollowOptions = {}): AsyncIterable<ChangeEvent> {
    return followed(() => this.eventsOnce(options.signal), options);
  }

  close(): Promise<void> {
    this.link.close();
    return Promise.resolve();
  }

  private async *eventsOnce(signal?: AbortSignal): AsyncGenerator<ChangeEvent | undefined> {
    const method = methodFor("GET", "/v1/events", false)?.method;
    if (!method) throw onlyRest("events");
    const use = this.link.use();
    const call = use.client.makeServerStreamRequest<Message, Message>(
      method.path,
      (one) => Buffer.from(toBinary(method.input, one)),
      (bytes) => fromBinary(method.output, bytes),
      create(method.input),
      this.metadata(),
    );
    // What ends it is read below; after that, nobody reads what its cancellation says.
    call.on("error", () => undefined);
    let isSilent = false as boolean;
    const watch = (): NodeJS.Timeout =>
      setTimeout(() => {
        isSilent = true;
        use.replace();
        call.cancel();
      }, this.silenceMs);
    let silence = watch();
    const onAbort = (): void => call.cancel();
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted) onAbort();
    let isOpen = false;
    try {
      for await (const message of call as AsyncIterable<Message>) {
        // Nothing is read while whoever follows is busy.
        clearTimeout(silence);
        const event = read(method.output, message);
        // What has no kind says that the stream is there.
        if (event["kind"]) yield event as unknown as ChangeEvent;
        else if (!isOpen) yield undefined;
        isOpen = true;
        silence = watch();
      }
    } catch (error) {
      if (isSilent) throw new TimeoutError(`events: nothing came for ${this.silenceMs} ms`);
      throw errorOf(error as ServiceError, "events");
    } finally {
      clearTimeout(silence);
      signal?.removeEventListener("abort", onAbort);
      call.cancel();
      use.done();
    }
  }

  private once(
    name: string,
    { method }: Match,
    message: Message,
    metadata: Metadata,
    leftMs: number,
    signal?: AbortSignal,
  ): Promise<Json> {
    const use = this.link.use();
    return new Promise<Json>((resolve, reject) => {
      const onAbort = (): void => call.cancel();
      const ended = (failed: ServiceError | null, response?: Message): void => {
        signal?.removeEventListener("abort", onAbort);
        use.done();
        if (!failed && response) {
          const body = read(method.output, response);
          resolve(method.answer ? body[method.answer.jsonName] : body);
          return;
        }
        const error = failed ? errorOf(failed, name) : new TimeoutError(`${name}: no answer`);
        if (error instanceof TimeoutError) use.replace(); // perhaps nobody is there any more
        reject(signal?.aborted ? reasonOf(signal, error) : error);
      };
      const call = use.client.makeUnaryRequest<Message, Message>(
        method.path,
        (one) => Buffer.from(toBinary(method.input, one)),
        (bytes) => fromBinary(method.output, bytes),
        message,
        metadata,
        { deadline: Date.now() + Math.max(1, leftMs) },
        ended,
      );
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted) onAbort();
    });
  }
}

/** The transport of a client that names `grpc`. */
export function grpcTransport(settings: TransportSettings): GrpcTransport {
  const { url, isUrlGiven, apiKey, headers, timeoutMs } = settings;
  return new GrpcTransport(grpcUrl(url, isUrlGiven), { apiKey, headers, timeout: timeoutMs });
}

/** Where gRPC is: `TRUNKLINE_GRPC_URL` unless the program named another URL, else port 9090 of that host. */
export function grpcUrl(url: string, isGiven: boolean): string {
  const own = process.env["TRUNKLINE_GRPC_URL"];
  if (own && !isGiven) return own;
  const parts = new URL(url);
  return `${parts.protocol}//${parts.hostname}:9090`;
}

function onlyRest(name: string): ProblemError {
  const detail = `${name} is only over REST: use TRUNKLINE_TRANSPORT=rest.`;
  return new ProblemError({ status: 501, code: "not_over_grpc", detail });
}

function reasonOf(signal: AbortSignal, error: Error): Error {
  return signal.reason instanceof Error ? signal.reason : error;
}

function requestOf({ method, parameters }: Match, request: CallRequest): Message {
  const values: Record<string, Json> = {};
  if (method.body) {
    values[method.body.jsonName] = request.body;
  } else if (typeof request.body === "object" && request.body !== null) {
    Object.assign(values, request.body);
  }
  for (const [name, value] of Object.entries({ ...request.query, ...parameters })) {
    const field = method.input.fields.find((candidate) => candidate.jsonName === name);
    if (value === undefined || (name === "wait" && !field)) continue;
    const isNumber = field?.fieldKind === "scalar" && typeof value === "string" && ![9, 12].includes(field.scalar);
    values[name] = isNumber && value !== "true" && value !== "false" ? Number(value) : typed(field?.scalar, value);
  }
  return write(method.input, values);
}

/** A parameter as its field wants it: 9 is text and 8 a truth value. */
function typed(scalar: number | undefined, value: string | number | boolean): Json {
  if (scalar === 9) return String(value);
  return scalar === 8 && typeof value === "string" ? value === "true" : value;
}
