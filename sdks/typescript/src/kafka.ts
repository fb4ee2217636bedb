// Jobs from Kafka: `import "trunkline/kafka"` makes the transport known, and TRUNKLINE_TRANSPORT=kafka or
// `new Client({ transport: "kafka" })` uses it. It needs kafkajs.
import { kafkaTransport } from "./kafka/transport.js";
import { registerTransport } from "./transport.js";

registerTransport("kafka", kafkaTransport);

export { KafkaTransport } from "./kafka/transport.js";
export type { KafkaTransportOptions } from "./kafka/transport.js";
export type { Consumer, ConsumerFactory, ConsumerListener, KafkaRecord, PartitionOffset } from "./kafka/consumer.js";
