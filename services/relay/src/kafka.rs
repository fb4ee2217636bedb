//! The producer over librdkafka.
//!
//! It is idempotent and waits for all replicas that are in sync. A message that cannot be sent for now stays with it for as
//! long as it takes, so that it keeps the order of each partition itself; what it answers is final.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use domain::dispatch::TOPIC_NOT_CREATED;
use domain::time::Timestamp;
use futures::FutureExt as _;
use parking_lot::RwLock;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::{ClientConfig, FromClientConfigAndContext as _};
use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord, Producer as _, PurgeConfig};
use rdkafka::types::RDKafkaConfRes;

use crate::envelope::Message;
use crate::oauth_token;
use crate::publisher::{PublishError, Publisher, Receipt};

/// How long calls about topics may take.
const ADMIN_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a probe waits for a broker that is away.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// How to reach Kafka.
#[derive(Clone)]
pub struct KafkaOptions {
    /// Addresses of brokers, separated by commas.
    pub brokers: String,
    /// What is handed on to librdkafka. It may hold passwords, and is not shown.
    pub properties: Vec<(String, String)>,
    /// Whether missing topics are created.
    pub creates_topics: bool,
    /// How many partitions they have.
    pub partitions: i32,
    /// How many replicas; the brokers' default where it is `None`.
    pub replicas: Option<i32>,
}

impl fmt::Debug for KafkaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KafkaOptions").field("brokers", &self.brokers).finish_non_exhaustive()
    }
}

/// The properties cannot be used. Values are left out: they may be passwords, also where a name is mistyped.
#[derive(Debug, thiserror::Error)]
pub enum PropertiesError {
    /// There is no property of this name.
    #[error("librdkafka has no property {0}")]
    Unknown(String),
    /// The property of this name does not take its value.
    #[error("librdkafka rejects the value of {0}")]
    Value(String),
    /// Each is right by itself, but not all together.
    #[error("the Kafka client cannot be created")]
    Client(#[source] KafkaError),
}

impl From<KafkaError> for PropertiesError {
    fn from(error: KafkaError) -> Self {
        match error {
            KafkaError::ClientConfig(RDKafkaConfRes::RD_KAFKA_CONF_UNKNOWN, _, name, _) => {
                Self::Unknown(name)
            }
            KafkaError::ClientConfig(_, _, name, _) => Self::Value(name),
            other => Self::Client(other),
        }
    }
}

/// Where the client says that brokers are away.
#[derive(Debug, Default)]
struct Reached {
    /// 0 where they are reached.
    away_since: AtomicI64,
}

impl Reached {
    fn away(&self) {
        if self.away_since.compare_exchange(0, now_ms(), Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            tracing::warn!("no Kafka broker is reachable; jobs wait in the database");
        }
    }

    fn here(&self) {
        if self.away_since.swap(0, Ordering::Relaxed) != 0 {
            tracing::info!("Kafka is reachable again");
        }
    }
}

/// The time of the machine, never 0.
#[expect(
    clippy::disallowed_methods,
    reason = "librdkafka calls from threads of its own, which know no engine"
)]
fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_millis());
    i64::try_from(now).unwrap_or(i64::MAX)
}

/// What the client reports to.
#[derive(Debug, Clone)]
struct Context(Arc<Reached>);

impl ClientContext for Context {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn generate_oauth_token(&self, config: Option<&str>) -> Result<OAuthToken, Box<dyn std::error::Error>> {
        oauth_token::read(config, now_ms()).map_err(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the OAuth token for Kafka cannot be read"
            );
            error.into()
        })
    }

    fn error(&self, error: KafkaError, reason: &str) {
        if error.rdkafka_error_code() == Some(Code::AllBrokersDown) {
            self.0.away();
        }
        tracing::debug!(%error, reason, "Kafka client");
    }
}

/// The producer, and what another one is made of.
struct Connection {
    config: ClientConfig,
    reached: Arc<Reached>,
    producer: RwLock<FutureProducer<Context>>,
}

impl Connection {
    fn open(config: ClientConfig) -> Result<Self, KafkaError> {
        let reached = Arc::new(Reached::default());
        let producer = FutureProducer::from_config_and_context(&config, Context(Arc::clone(&reached)))?;
        Ok(Self { config, reached, producer: RwLock::new(producer) })
    }

    /// Replaces the producer where that is due; all receipts of the former one fail. The sequence numbers of an idempotent
    /// producer have no gaps, so that messages cannot be taken out of one that goes on.
    fn replace(&self, is_due: impl Fn(&FutureProducer<Context>) -> bool) {
        let mut producer = self.producer.write();
        if !is_due(&producer) {
            return;
        }
        match FutureProducer::from_config_and_context(&self.config, Context(Arc::clone(&self.reached))) {
            Ok(fresh) => {
                let former = std::mem::replace(&mut *producer, fresh);
                drop(producer);
                former.purge(PurgeConfig::default().queue().inflight());
            }
            Err(error) => tracing::error!(%error, "the Kafka producer cannot be replaced"),
        }
    }
}

fn has_failed(producer: &FutureProducer<Context>) -> bool {
    producer.client().fatal_error().is_some()
}

/// A producer for Kafka.
pub struct KafkaPublisher {
    options: KafkaOptions,
    connection: Arc<Connection>,
    /// A topic that is used, about which a broker can be asked.
    topic: OnceLock<String>,
}

impl KafkaPublisher {
    /// Connects in the background.
    ///
    /// # Errors
    /// Where librdkafka does not know a property, or its value is wrong.
    pub fn new(options: KafkaOptions) -> Result<Self, PropertiesError> {
        let mut config = ClientConfig::new();
        // Nothing is compressed unless a property says so: not every client reads every kind of compression.
        config
            .set("client.id", "trunkline-relay")
            .set("partitioner", "murmur2_random")
            // Messages come many at a time as it is, and a single one is waited for.
            .set("linger.ms", "1")
            // A broker that is back is to be found soon; the default is ten seconds.
            .set("reconnect.backoff.max.ms", "1000")
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
        Ok(Self { options, connection: Arc::new(Connection::open(config)?), topic: OnceLock::new() })
    }

    /// The same connection without what only producers know.
    fn admin_config(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        let is_shared = |name: &str| {
            ["security.", "sasl.", "ssl.", "socket.", "client.", "enable.ssl"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
        };
        for (name, value) in self.options.properties.iter().filter(|(name, _)| is_shared(name)) {
            config.set(name, value);
        }
        config.set("bootstrap.servers", &self.options.brokers);
        config
    }

    /// Creates the topics that are missing. Answers those that could not be, and why. One that it may not create may be there.
    async fn create_topics(&self, topics: &[String]) -> Result<HashMap<String, PublishError>, KafkaError> {
        let context = Context(Arc::clone(&self.connection.reached));
        let admin: AdminClient<Context> =
            AdminClient::from_config_and_context(&self.admin_config(), context)?;
        // -1: as many as the brokers set.
        let replicas = self.options.replicas.unwrap_or(-1);
        let new_topic =
            |name| NewTopic::new(name, self.options.partitions, TopicReplication::Fixed(replicas));
        let new: Vec<NewTopic<'_>> = topics.iter().map(|name| new_topic(name.as_str())).collect();
        let options =
            AdminOptions::new().request_timeout(Some(ADMIN_TIMEOUT)).operation_timeout(Some(ADMIN_TIMEOUT));
        let answers = admin.create_topics(&new, &options).await;
        // Its end waits for a thread of its own.
        drop(tokio::task::spawn_blocking(move || drop(admin)));
        let answers = answers?;
        self.connection.reached.here();
        let not_created = |(topic, code): (String, Code)| Some((topic, of_topic(code)?));
        Ok(answers.into_iter().filter_map(Result::err).filter_map(not_created).collect())
    }
}

#[async_trait]
impl Publisher for KafkaPublisher {
    fn publish(&self, message: &Message) -> Result<Receipt, PublishError> {
        if has_failed(&self.connection.producer.read()) {
            self.connection.replace(has_failed);
        }
        self.topic.get_or_init(|| message.topic.clone());
        let mut headers = OwnedHeaders::new_with_capacity(message.headers.len());
        for (key, value) in &message.headers {
            headers = headers.insert(Header { key, value: Some(value.as_str()) });
        }
        let record = FutureRecord::to(&message.topic)
            .key(message.key.as_str())
            .payload(message.value.as_slice())
            .headers(headers);
        let sent = self.connection.producer.read().send_result(record);
        let sent = sent.map_err(|(error, _)| classify(&error))?;
        let reached = Arc::clone(&self.connection.reached);
        let receipt = sent.map(move |answer| match answer {
            Ok(Ok(_)) => {
                reached.here();
                Ok(())
            }
            Ok(Err((error, _))) => Err(classify(&error)),
            Err(_) => Err(later("broker_away", "the producer was replaced".to_owned())),
        });
        Ok(receipt.boxed())
    }

    async fn ensure_topics(&self, topics: &[String]) -> Vec<Result<(), PublishError>> {
        if !self.options.creates_topics {
            return vec![Ok(()); topics.len()];
        }
        let of_all = match self.create_topics(topics).await {
            Ok(failed) => {
                let answer = |topic| failed.get(topic).cloned().map_or(Ok(()), Err);
                return topics.iter().map(answer).collect();
            }
            Err(KafkaError::AdminOp(code)) => of_topic(code),
            Err(error) => Some(classify(&error)),
        };
        vec![of_all.map_or(Ok(()), Err); topics.len()]
    }

    fn away_since(&self) -> Option<Timestamp> {
        let since = self.connection.reached.away_since.load(Ordering::Relaxed);
        (since != 0).then_some(Timestamp(since))
    }

    async fn probe(&self) {
        let (producer, topic) = (self.connection.producer.read().clone(), self.topic.get().cloned());
        let ask = move || producer.client().fetch_metadata(topic.as_deref(), PROBE_TIMEOUT).is_ok();
        if tokio::task::spawn_blocking(ask).await.unwrap_or(false) {
            self.connection.reached.here();
        }
    }

    async fn recall(&self) {
        let connection = Arc::clone(&self.connection);
        // Ending a producer takes its time.
        if let Err(error) = tokio::task::spawn_blocking(move || connection.replace(|_| true)).await {
            tracing::error!(%error, "messages could not be purged from the Kafka producer");
        }
    }
}

impl KafkaOptions {
    /// Whether topics cannot be created with these properties: the calls about them have no way to renew a token.
    pub fn needs_topics(&self) -> bool {
        let of_sasl = |(name, value): &(String, String)| {
            matches!(name.as_str(), "sasl.mechanism" | "sasl.mechanisms") && value == "OAUTHBEARER"
        };
        self.properties.iter().any(of_sasl)
    }
}

fn later(reason: &'static str, message: String) -> PublishError {
    PublishError::Later { reason, message }
}

/// Why a topic is not created, unless it is there or may be.
fn of_topic(code: Code) -> Option<PublishError> {
    match code {
        Code::TopicAlreadyExists | Code::TopicAuthorizationFailed | Code::ClusterAuthorizationFailed => None,
        Code::InvalidTopic => {
            Some(PublishError::Refused { code: "topic_invalid", message: code.to_string() })
        }
        _ => match classify(&KafkaError::Global(code)) {
            away @ PublishError::Later { reason: "broker_away", .. } => Some(away),
            _ => Some(later(TOPIC_NOT_CREATED, code.to_string())),
        },
    }
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
            | Code::RequestTimedOut
            | Code::PurgeQueue
            | Code::PurgeInflight,
        ) => later("broker_away", error.to_string()),
        _ => later("not_acknowledged", error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_topic_tells_whether_it_can_be_there_later() {
        let word =
            |code| of_topic(code).map(|error| (error.reason(), matches!(error, PublishError::Later { .. })));
        assert_eq!(word(Code::TopicAlreadyExists), None);
        assert_eq!(word(Code::TopicAuthorizationFailed), None, "it may be there");
        assert_eq!(word(Code::InvalidTopic), Some(("topic_invalid", false)));
        assert_eq!(word(Code::InvalidReplicationFactor), Some(("topic_not_created", true)));
        assert_eq!(word(Code::PolicyViolation), Some(("topic_not_created", true)));
        assert_eq!(word(Code::RequestTimedOut), Some(("broker_away", true)));
    }
}
