//! Consumers over librdkafka.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rdkafka::client::ClientContext;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _, ConsumerContext, Rebalance as Change};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{BorrowedMessage, Headers as _, Message as _};
use rdkafka::types::RDKafkaConfRes;
use rdkafka::{Offset, TopicPartitionList};

use super::consumer::{Consumer, ConsumerFactory, Rebalance, Record};
use super::offsets::{Place, Positions};
use crate::error::ClientError;

/// How long a broker may take to say that it is there.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// Makes consumers with these properties of librdkafka.
pub(super) fn factory(brokers: String, properties: Vec<(String, String)>) -> ConsumerFactory {
    Arc::new(move |group, topics, rebalance| {
        let mut config = ClientConfig::new();
        // Partitions are spread by `range` in all SDKs, so that a group may have members in several languages.
        config
            .set("client.id", "trunkline-rust")
            .set("auto.offset.reset", "earliest")
            .set("partition.assignment.strategy", "range")
            .set("topic.metadata.refresh.interval.ms", "3000")
            .set("reconnect.backoff.max.ms", "1000");
        for (name, value) in &properties {
            config.set(name, value);
        }
        config
            .set("bootstrap.servers", &brokers)
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("allow.auto.create.topics", "false");
        let reason = Arc::<Mutex<Option<String>>>::default();
        let context = Context { rebalance, reason: Arc::clone(&reason) };
        let consumer: BaseConsumer<Context> = config.create_with_context(context).map_err(wrong)?;
        let names: Vec<&str> = topics.iter().map(String::as_str).collect();
        consumer.subscribe(&names).map_err(wrong)?;
        let first_topic = topics.first().cloned().unwrap_or_default();
        Ok(Box::new(Member { consumer, reason, first_topic }) as Box<dyn Consumer>)
    })
}

/// A consumer cannot be made. Values of properties are left out: they may be passwords, also where a name is mistyped.
fn wrong(error: KafkaError) -> ClientError {
    let message = match error {
        KafkaError::ClientConfig(RDKafkaConfRes::RD_KAFKA_CONF_UNKNOWN, _, name, _) => {
            format!("librdkafka has no property {name}")
        }
        KafkaError::ClientConfig(_, _, name, _) => format!("librdkafka rejects the value of {name}"),
        other => other.to_string(),
    };
    ClientError::Configuration(format!("the consumer of Kafka: {message}"))
}

struct Context {
    rebalance: Rebalance,
    reason: Arc<Mutex<Option<String>>>,
}

impl ClientContext for Context {
    fn error(&self, error: KafkaError, reason: &str) {
        let is_lasting = matches!(
            error.rdkafka_error_code(),
            Some(RDKafkaErrorCode::AllBrokersDown | RDKafkaErrorCode::Authentication)
        );
        if is_lasting {
            *self.reason.lock() = Some(reason.to_owned());
        }
        tracing::debug!(target: "trunkline", %error, reason, "Kafka client");
    }
}

impl ConsumerContext for Context {
    fn pre_rebalance(&self, consumer: &BaseConsumer<Self>, change: &Change<'_>) {
        match change {
            Change::Assign(_) => (self.rebalance.assigned)(),
            Change::Revoke(partitions) => {
                let elements = partitions.elements();
                let places = elements.iter().map(|element| Place {
                    topic: element.topic().to_owned(),
                    partition: element.partition(),
                });
                let positions = (self.rebalance.revoked)(&places.collect::<Vec<_>>());
                commit(consumer, &positions);
            }
            Change::Error(error) => {
                tracing::warn!(target: "trunkline", %error, "a rebalance of Kafka failed");
            }
        }
    }
}

struct Member {
    consumer: BaseConsumer<Context>,
    reason: Arc<Mutex<Option<String>>>,
    first_topic: String,
}

impl Consumer for Member {
    fn poll(&mut self, limit: Duration, records_max: usize) -> Vec<Record> {
        let mut records = Vec::new();
        let mut wait = limit;
        while records.len() < records_max {
            match self.consumer.poll(wait) {
                Some(Ok(message)) => records.push(record(&message)),
                // Errors of one partition or topic pass, or topics come to be: whatever lasts is what `failed` says.
                Some(Err(_)) => {}
                None => break,
            }
            wait = Duration::ZERO;
        }
        if !records.is_empty() {
            *self.reason.lock() = None;
        }
        records
    }

    fn pause(&mut self, topic: &str, is_paused: bool) {
        let Ok(assigned) = self.consumer.assignment() else { return };
        let mut of_topic = TopicPartitionList::new();
        for element in assigned.elements().iter().filter(|element| element.topic() == topic) {
            of_topic.add_partition(topic, element.partition());
        }
        let changed =
            if is_paused { self.consumer.pause(&of_topic) } else { self.consumer.resume(&of_topic) };
        if let Err(error) = changed {
            tracing::debug!(target: "trunkline", %error, topic, "partitions could not be paused or resumed");
        }
    }

    fn commit(&mut self, positions: &Positions) -> bool {
        commit(&self.consumer, positions)
    }

    fn failed(&mut self) -> Option<String> {
        let reason = self.reason.lock().clone();
        // Asks once more before it says so.
        if reason.is_some() && self.consumer.fetch_metadata(Some(&self.first_topic), PROBE_TIMEOUT).is_ok() {
            *self.reason.lock() = None;
            return None;
        }
        reason
    }
}

fn commit(consumer: &BaseConsumer<Context>, positions: &Positions) -> bool {
    if positions.is_empty() {
        return true;
    }
    let mut list = TopicPartitionList::new();
    let is_made = positions.iter().all(|(place, offset)| {
        list.add_partition_offset(&place.topic, place.partition, Offset::Offset(*offset)).is_ok()
    });
    is_made && consumer.commit(&list, CommitMode::Sync).is_ok()
}

fn record(message: &BorrowedMessage<'_>) -> Record {
    let job_type = message.headers().and_then(|headers| {
        let header = headers.iter().find(|header| header.key == "tl-job-type")?;
        Some(String::from_utf8_lossy(header.value?).into_owned())
    });
    Record {
        place: Place { topic: message.topic().to_owned(), partition: message.partition() },
        offset: message.offset(),
        value: message.payload().unwrap_or_default().to_vec(),
        job_type,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever mistypes the name of a password is shown the name alone.
    #[test]
    fn errors_of_properties_show_no_values() {
        let properties = vec![("sasl.passwrd".to_owned(), "hunter2".to_owned())];
        let rebalance =
            Rebalance { assigned: Arc::new(|| {}), revoked: Arc::new(|_: &[Place]| Positions::default()) };
        let make = factory("127.0.0.1:1".to_owned(), properties);
        let error = make("group", &["topic".to_owned()], rebalance).err().expect("there is no such property");
        let shown = error.to_string();
        assert!(shown.contains("librdkafka has no property sasl.passwrd"), "{shown}");
        assert!(!format!("{shown} {error:?}").contains("hunter2"), "{error:?}");
    }
}
