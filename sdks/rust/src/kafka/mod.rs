//! Jobs from Kafka, where the server runs with `dispatch.mode = "kafka_outbox"`: `TRUNKLINE_TRANSPORT=kafka` and
//! `TRUNKLINE_KAFKA_BROKERS`, or [`Kafka`] with `ClientBuilder::with_transport`.
//!
//! Jobs come by consumer groups and are accepted many with one call; reports and everything else go over REST. A message is
//! committed once its job is settled or given back, and duplicates do not run.

mod consumer;
mod delivery;
mod envelope;
mod librdkafka;
mod offsets;
mod reader;
#[cfg(test)]
mod tests;
mod topics;
mod transport;

pub use topics::TopicLayout;
pub use transport::{Kafka, KafkaOptions};
