// The transport over Kafka: jobs come from there, and every call goes over REST.
import type { Lease } from "../channel.js";
import { milliseconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import type { ChangeEvent, Outcomes } from "../generated/models.js";
import type { Json } from "../json.js";
import { RestTransport } from "../rest.js";
import type { CallOptions, CallRequest, Transport, TransportSettings } from "../transport.js";
import type { ConsumerFactory } from "./consumer.js";
import { Delivery } from "./delivery.js";
import { overKafkaJs } from "./kafkajs.js";
import type { KafkaOptions } from "./kafkajs.js";
import { Reader } from "./reader.js";
import { topicsOf } from "./topics.js";
import type { TopicLayout } from "./topics.js";

// A reader buffers at most so many times what its worker asked for, and at least so many messages.
const ROOM_FACTOR = 2;
const ROOM_MIN = 16;
const REPORTS = new Set(["completeJobs", "failJobs", "releaseJobs", "heartbeatJobs"]);

/** Options of the transport over Kafka. */
export interface KafkaTransportOptions {
  /** Addresses as host:port, separated by commas (default: TRUNKLINE_KAFKA_BROKERS). */
  brokers?: string;
  /** The server's `kafka.topic_prefix` (default: `trunkline`). */
  topicPrefix?: string;
  /** The server's `kafka.topics` (default: `per_type`). */
  topics?: TopicLayout;
  /** Prefix of consumer groups: the group of a job type is `<group>.<job type>` (default: `trunkline`). */
  group?: string;
  /** Options of kafkajs, such as `ssl` and `sasl`. */
  kafka?: KafkaOptions;
  /** An alternative to kafkajs. */
  consumers?: ConsumerFactory;
}

interface Poll {
  workerId: string;
  jobTypes: string[];
  maxJobs: number;
  wait?: string;
}

/**
 * Receives jobs that the server publishes to Kafka (`dispatch.mode = "kafka_outbox"`); reports and all other calls use
 * REST.
 */
export class KafkaTransport implements Transport {
  readonly name = "kafka";
  readonly heartbeats: Transport["heartbeats"];
  private readonly consumers: ConsumerFactory;
  private readonly deliveries = new Map<string, Delivery>();

  constructor(
    private readonly rest: Transport,
    private readonly options: KafkaTransportOptions = {},
  ) {
    this.heartbeats = rest.heartbeats;
    const brokers = options.brokers ?? process.env["TRUNKLINE_KAFKA_BROKERS"] ?? "";
    if (!options.consumers && brokers === "") {
      throw new ConfigurationError("TRUNKLINE_KAFKA_BROKERS is not set: the brokers, as host:port,host:port");
    }
    this.consumers = options.consumers ?? overKafkaJs(brokers.split(","), options.kafka ?? {});
  }

  /** A transport for a server: `url` and `apiKey` default to TRUNKLINE_URL and TRUNKLINE_API_KEY. */
  static over({ url, apiKey, ...options }: KafkaTransportOptions & { url?: string; apiKey?: string }): KafkaTransport {
    const rest = new RestTransport({
      url: url ?? process.env["TRUNKLINE_URL"] ?? "http://127.0.0.1:8080",
      isUrlGiven: url !== undefined,
      apiKey: apiKey ?? process.env["TRUNKLINE_API_KEY"],
      headers: {},
      timeoutMs: 30_000,
      fetch: undefined,
    });
    return new KafkaTransport(rest, options);
  }

  async call(request: CallRequest, options?: CallOptions): Promise<Json> {
    if (request.name === "pollJobs") return { jobs: await this.poll(request.body as Poll, options?.signal) };
    if (!REPORTS.has(request.name)) return this.rest.call(request, options);
    // The server answers no polls in this mode, those with reports neither.
    const body = { ...(request.body as { jobs: Lease[]; poll?: Json }) };
    delete body.poll;
    const answer = (await this.rest.call({ ...request, body }, options)) as Outcomes;
    for (const delivery of this.deliveries.values()) {
      delivery.reported(body.jobs, answer.results, request.name === "heartbeatJobs");
    }
    return answer;
  }

  events(options?: { signal?: AbortSignal | undefined; opened?: () => void }): AsyncIterable<ChangeEvent> {
    return this.rest.events(options);
  }

  async endDelivery(workerId: string): Promise<void> {
    const delivery = this.deliveries.get(workerId);
    this.deliveries.delete(workerId);
    await delivery?.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.deliveries.keys()].map((workerId) => this.endDelivery(workerId)));
    await this.rest.close();
  }

  private poll({ workerId, jobTypes, maxJobs, wait }: Poll, signal?: AbortSignal): Promise<Json> {
    let delivery = this.deliveries.get(workerId);
    if (!delivery) {
      delivery = this.open(workerId, jobTypes, Math.max(ROOM_MIN, ROOM_FACTOR * maxJobs));
      this.deliveries.set(workerId, delivery);
    }
    return delivery.poll(maxJobs, wait === undefined ? 0 : milliseconds(wait), signal);
  }

  private open(workerId: string, jobTypes: string[], room: number): Delivery {
    const { topicPrefix = "trunkline", topics: layout = "per_type", group = "trunkline" } = this.options;
    const readers: Reader[] = [];
    const delivery = new Delivery(this.rest, workerId, readers);
    for (const jobType of jobTypes) {
      const topics = topicsOf(topicPrefix, jobType, layout);
      const consumer = this.consumers(`${group}.${jobType}`, topics);
      const reader = new Reader(jobType, topics, consumer, room, () => delivery.changed());
      readers.push(reader);
      void reader.start();
    }
    return delivery;
  }
}

/** The transport as the environment and the client's settings say. */
export function kafkaTransport(settings: TransportSettings): Transport {
  return new KafkaTransport(new RestTransport(settings));
}
