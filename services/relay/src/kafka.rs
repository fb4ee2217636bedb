//! The producer over librdkafka.
//!
//! It is idempotent and waits for all replicas that are in sync. A message that cannot be sent for now stays with it for as
//! long as it takes, so that it keeps the order of each partition itself; what it answers is final.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use domain::time::Timestamp;
use futures::FutureExt as _;
use parking_lot::RwLock;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::ClientContext;
use rdkafka::config::{ClientConfig, FromClientConfigAndContext as _};
use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord, Producer as _};

use crate::envelope::Message;
use crate::publisher::{PublishError, Publisher, Receipt};

/// How long calls about topics may take.
const ADMIN_TIMEOUT: Duration = Duration::from_secs(3);

/// How to reach Kafka.
#[derive(Debug, Clone)]
pub struct KafkaOptions {
    /// Addresses of brokers, separated by commas.
    pub brokers: String,
    /// What is handed on to librdkafka. It may hold passwords.
    pub properties: Vec<(String, String)>,
    /// Whether missing topics are created.
    pub creates_topics: bool,
    /// How many partitions they have.
    pub partitions: i32,
    /// How many replicas; the brokers' default where it is `None`.
    pub replicas: Option<i32>,
}

/// Where the client says that brokers are away.
#[derive(Debug, Default)]
struct Reached {
    /// 0 where they are reached.
    away_since: AtomicI64,
}

impl Reached {
    fn away(&self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_millis());
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        if self.away_since.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            tracing::warn!("no Kafka broker is reached; jobs wait in the store");
        }
    }

    fn here(&self) {
        if self.away_since.swap(0, Ordering::Relaxed) != 0 {
            tracing::info!("Kafka is reached again");
        }
    }
}

/// What the client reports to.
#[derive(Debug, Clone)]
struct Context(Arc<Reached>);

impl ClientContext for Context {
    fn error(&self, error: KafkaError, reason: &str) {
        if error.rdkafka_error_code() == Some(Code::AllBrokersDown) {
            self.0.away();
        }
        tracing::debug!(%error, reason, "Kafka client");
    }
}

/// A producer for Kafka.
pub struct KafkaPublisher {
    options: KafkaOptions,
    config: ClientConfig,
    reached: Arc<Reached>,
    producer: RwLock<FutureProducer<Context>>,
}

impl KafkaPublisher {
    /// Connects in the background.
    ///
    /// # Errors
    /// Where librdkafka does not know a property, or its value is wrong.
    pub fn new(options: KafkaOptions) -> Result<Self, KafkaError> {
        let mut config = ClientConfig::new();
        config
            .set("client.id", "trunkline-relay")
            .set("partitioner", "murmur2_random")
            .set("linger.ms", "5")
            .set("compression.type", "lz4")
            .set("queue.buffering.max.messages", "100000")
            .set("queue.buffering.max.kbytes", "131072");
        for (name, value) in &options.properties {
            config.set(name, value);
        }
        // What order and durability rest on is no choice.
        config
            .set("bootstrap.servers", &options.brokers)
            .set("enable.idempotence", "true")
            .set("acks", "all")
            .set("message.timeout.ms", "0")
            .set("retries", "2147483647");
        let reached = Arc::new(Reached::default());
        let producer = FutureProducer::from_config_and_context(&config, Context(Arc::clone(&reached)))?;
        Ok(Self { options, config, reached, producer: RwLock::new(producer) })
    }

    /// A producer that has failed for good is replaced; what it had is reported by it.
    fn replace(&self) {
        let mut producer = self.producer.write();
        if producer.client().fatal_error().is_none() {
            return;
        }
        match FutureProducer::from_config_and_context(&self.config, Context(Arc::clone(&self.reached))) {
            Ok(fresh) => *producer = fresh,
            Err(error) => tracing::error!(%error, "the Kafka producer cannot be replaced"),
        }
    }
}

#[async_trait]
impl Publisher for KafkaPublisher {
    fn publish(&self, message: &Message) -> Result<Receipt, PublishError> {
        if self.producer.read().client().fatal_error().is_some() {
            self.replace();
        }
        let mut headers = OwnedHeaders::new_with_capacity(message.headers.len());
        for (key, value) in &message.headers {
            headers = headers.insert(Header { key, value: Some(value.as_str()) });
        }
        let record = FutureRecord::to(&message.topic)
            .key(message.key.as_str())
            .payload(message.value.as_slice())
            .headers(headers);
        let sent = self.producer.read().send_result(record).map_err(|(error, _)| classify(&error))?;
        let reached = Arc::clone(&self.reached);
        let receipt = sent.map(move |answer| match answer {
            Ok(Ok(_)) => {
                reached.here();
                Ok(())
            }
            Ok(Err((error, _))) => Err(classify(&error)),
            Err(_) => Err(later("not_acknowledged", "the producer was replaced".to_owned())),
        });
        Ok(receipt.boxed())
    }

    async fn ensure_topics(&self, topics: &[String]) -> Result<(), PublishError> {
        if !self.options.creates_topics {
            return Ok(());
        }
        let admin: AdminClient<Context> =
            AdminClient::from_config_and_context(&self.admin_config(), Context(Arc::clone(&self.reached)))
                .map_err(|error| classify(&error))?;
        // -1: as many as the brokers set.
        let replicas = self.options.replicas.unwrap_or(-1);
        let new_topic =
            |name| NewTopic::new(name, self.options.partitions, TopicReplication::Fixed(replicas));
        let new: Vec<NewTopic<'_>> = topics.iter().map(|name| new_topic(name.as_str())).collect();
        let options =
            AdminOptions::new().request_timeout(Some(ADMIN_TIMEOUT)).operation_timeout(Some(ADMIN_TIMEOUT));
        let answers = admin.create_topics(&new, &options).await.map_err(|error| classify(&error))?;
        self.reached.here();
        for answer in answers {
            match answer {
                Ok(_) | Err((_, Code::TopicAlreadyExists)) => {}
                Err((topic, code)) => {
                    tracing::warn!(topic, %code, "the topic is not created");
                    return Err(classify(&KafkaError::AdminOp(code)));
                }
            }
        }
        Ok(())
    }

    fn away_since(&self) -> Option<Timestamp> {
        let since = self.reached.away_since.load(Ordering::Relaxed);
        (since != 0).then_some(Timestamp(since))
    }
}

impl KafkaPublisher {
    /// The same connection without what only producers know.
    fn admin_config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        for (name, value) in &self.options.properties {
            if ["security.", "sasl.", "ssl.", "socket.", "client.", "enable.ssl"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
            {
                config.set(name, value);
            }
        }
        config.set("bootstrap.servers", &self.options.brokers);
        config
    }
}

fn later(reason: &'static str, message: String) -> PublishError {
    PublishError::Later { reason, message }
}

/// Whether trying again can help.
fn classify(error: &KafkaError) -> PublishError {
    let refused = |code| PublishError::Refused { code, message: error.to_string() };
    match error.rdkafka_error_code() {
        Some(Code::MessageSizeTooLarge) => refused("message_too_large"),
        Some(Code::UnknownTopic | Code::UnknownTopicOrPartition | Code::UnknownPartition) => {
            refused("topic_unknown")
        }
        Some(Code::InvalidTopic) => refused("topic_invalid"),
        Some(Code::TopicAuthorizationFailed | Code::ClusterAuthorizationFailed) => refused("not_authorized"),
        Some(Code::InvalidMessage | Code::InvalidRecord | Code::PolicyViolation) => {
            refused("message_refused")
        }
        Some(Code::QueueFull) => later("queue_full", error.to_string()),
        Some(
            Code::AllBrokersDown
            | Code::BrokerTransportFailure
            | Code::OperationTimedOut
            | Code::RequestTimedOut,
        ) => later("broker_away", error.to_string()),
        _ => later("not_acknowledged", error.to_string()),
    }
}
