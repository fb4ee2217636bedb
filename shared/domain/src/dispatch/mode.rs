//! How jobs of `workflow-node` come to outside workers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How jobs of `workflow-node` come to outside workers; the same on all nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DispatchMode {
    /// Workers ask for them.
    #[default]
    Polling,
    /// A relay claims them and publishes them to Kafka.
    KafkaOutbox,
}

impl DispatchMode {
    /// The public and stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Polling => "polling",
            Self::KafkaOutbox => "kafka_outbox",
        }
    }

    /// The mode with this name.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Polling, Self::KafkaOutbox].into_iter().find(|mode| mode.as_str() == text)
    }
}

impl fmt::Display for DispatchMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
