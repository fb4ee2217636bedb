//! How jobs come to outside workers, and the Kafka that carries them.

use domain::dispatch::DispatchMode;
use domain::time::DurationMs;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How jobs of `workflow-node` come to outside workers; the same on all nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DispatchSettings {
    /// Whether workers poll, or a relay publishes to Kafka.
    pub mode: DispatchMode,
    /// How many offers of a job type may stand.
    pub window: u32,
    /// How long an offer stands.
    pub offer_timeout: DurationMs,
}

impl Default for DispatchSettings {
    fn default() -> Self {
        Self { mode: DispatchMode::Polling, window: 5_000, offer_timeout: DurationMs::from_secs(60) }
    }
}

/// Which topics there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KafkaTopics {
    /// Three of each job type, one a tier.
    #[default]
    PerType,
    /// Three in all, one a tier.
    Single,
}

/// How messages are encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KafkaEnvelope {
    /// JSON.
    #[default]
    Json,
    /// `trunkline.v1.JobOffer`.
    Protobuf,
}

/// The Kafka that jobs are published to.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KafkaSettings {
    /// Addresses of brokers: `host:port`, separated by commas.
    pub brokers: String,
    /// What names of topics begin with.
    pub topic_prefix: String,
    /// Which topics there are.
    pub topics: KafkaTopics,
    /// Whether topics that are missing are created.
    pub create_topics: bool,
    /// How many partitions a created topic has.
    pub partitions: u16,
    /// How many replicas a created topic has; 0 is what the brokers set.
    pub replication_factor: u16,
    /// How messages are encoded.
    pub envelope: KafkaEnvelope,
    /// What is handed on to librdkafka, each as `name=value`. They may hold passwords.
    #[serde(with = "properties")]
    pub properties: Vec<SecretString>,
}

impl Default for KafkaSettings {
    fn default() -> Self {
        Self {
            brokers: String::new(),
            topic_prefix: "trunkline".to_owned(),
            topics: KafkaTopics::PerType,
            create_topics: true,
            partitions: 12,
            replication_factor: 0,
            envelope: KafkaEnvelope::Json,
            properties: Vec::new(),
        }
    }
}

impl KafkaSettings {
    /// The properties, by name.
    pub fn property_pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.properties.iter().filter_map(|property| property.expose_secret().split_once('='))
    }
}

/// Whether a text is a property: a name, `=` and a value.
pub(crate) fn is_property(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._".contains(&byte))
    })
}

/// Whether a prefix of topics has only characters that topics may have.
pub(crate) fn is_topic_prefix(text: &str) -> bool {
    (1..=100).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// Properties, of which only the names are shown.
mod properties {
    use super::{Deserialize, Deserializer, ExposeSecret, SecretString, Serializer};

    pub(super) fn serialize<S: Serializer>(all: &[SecretString], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(all.iter().map(|property| match property.expose_secret().split_once('=') {
            Some((name, _)) => format!("{name}=[redacted]"),
            None => "[redacted]".to_owned(),
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<SecretString>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)
            .map_err(|_| serde::de::Error::custom("expected a list of texts"))?;
        Ok(texts.into_iter().map(SecretString::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{is_property, is_topic_prefix};

    #[test]
    fn properties_have_names_and_prefixes_the_characters_of_topics() {
        assert!(is_property("sasl.password=a=b") && is_property("security.protocol="));
        assert!(!is_property("=x") && !is_property("SASL=x") && !is_property("acks"));
        assert!(is_topic_prefix("prod.trunkline-1"));
        assert!(!is_topic_prefix("") && !is_topic_prefix("a/b") && !is_topic_prefix(&"x".repeat(101)));
    }
}
