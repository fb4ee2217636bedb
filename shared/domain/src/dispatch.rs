//! Dispatch of jobs by pushing them: what an offer is, how many may stand, where each is published and in which order.
//!
//! The relay of `services/relay` claims jobs as a worker would and publishes them to a log. All that it decides is decided
//! here; claims, statements and brokers are elsewhere.

mod book;
mod figures;
mod offer;
mod outbox;
mod published;
mod shards;
mod window;

use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};

use crate::names::JobType;
use crate::queue::Tier;

pub use book::{OfferBook, Standing};
pub use figures::{
    HELD_TYPES_MAX, HeldType, NOT_ACKNOWLEDGED, PublishFault, RelayFigures, TOPIC_NOT_CREATED, per_second,
};
pub use offer::{
    AcceptOutcome, FoundLease, HOLDER_PREFIX, accept_outcome, accepted_token, event_id, holder_of, is_holder,
    shard_of_holder,
};
pub use outbox::Outbox;
pub use published::Walk;
pub use shards::{SHARDS, ShardPlan, ShardView, plan_shards, shard_of};
pub use window::{ACCEPTED_WITHIN, AcceptedLately, Room, WINDOW_LEAST, allowance, plan_claim};

// Topics: where the jobs of a type and tier are published.

/// The longest name of a topic.
const TOPIC_BYTES_MAX: usize = 249;

/// Whether each job type has topics of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TopicLayout {
    /// `<prefix>.jobs.<job type>.<tier>`.
    #[default]
    PerType,
    /// `<prefix>.jobs.<tier>`.
    Single,
}

/// How topics are named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicNames {
    /// What all names begin with: at most 100 of the characters that topics may have.
    pub prefix: String,
    /// Whether job types have topics of their own.
    pub layout: TopicLayout,
}

impl TopicNames {
    /// The topic of a type and tier. No two types share one, and each name is one that a topic may have.
    pub fn topic(&self, job_type: &JobType, tier: Tier) -> String {
        let prefix = &self.prefix;
        match self.layout {
            TopicLayout::Single => format!("{prefix}.jobs.{tier}"),
            TopicLayout::PerType => {
                let name = format!("{prefix}.jobs.{}.{tier}", escaped(job_type.as_str()));
                if name.len() <= TOPIC_BYTES_MAX {
                    return name;
                }
                let mut digest = hex::encode(Sha256::digest(job_type.as_str().as_bytes()));
                digest.truncate(32);
                format!("{prefix}.jobs._.{digest}.{tier}")
            }
        }
    }

    /// The topics of a type, the highest tier first.
    pub fn of_type(&self, job_type: &JobType) -> [String; 3] {
        Tier::ALL.map(|tier| self.topic(job_type, tier))
    }
}

/// A job type in the characters of topics. `:` and `/` become `._3A` and `._2F`; a dot before an underscore becomes `._2E`, so
/// that no type is written as another one is escaped.
fn escaped(job_type: &str) -> String {
    let mut name = String::with_capacity(job_type.len());
    let mut characters = job_type.chars().peekable();
    while let Some(character) = characters.next() {
        let is_plain = match character {
            '.' => characters.peek() != Some(&'_'),
            '_' | '-' => true,
            other => other.is_ascii_alphanumeric(),
        };
        if is_plain {
            name.push(character);
        } else {
            let _ = write!(name, "._{:02X}", u32::from(character));
        }
    }
    name
}

// How jobs of `workflow-node` come to outside workers.

words! {
    serde
    /// How jobs of `workflow-node` come to outside workers; the same on all nodes.
    #[derive(Default)]
    DispatchMode {
        /// Workers ask for them.
        #[default]
        Polling "polling",
        /// A relay claims them and publishes them to Kafka.
        KafkaOutbox "kafka_outbox",
    }
}

impl fmt::Display for DispatchMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// What consumers expect: the SDKs read the same table.
    const TABLE: &str = include_str!("../../../sdks/conformance/kafka.json");

    #[derive(Deserialize)]
    struct Table {
        topics: Vec<Row>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Row {
        prefix: String,
        layout: String,
        job_type: String,
        topics: [String; 3],
    }

    #[test]
    fn topics_are_those_that_consumers_expect() {
        let table: Table = serde_json::from_str(TABLE).expect("a table");
        assert!(table.topics.len() > 5);
        for Row { prefix, layout, job_type, topics } in table.topics {
            let is_single = layout == "single";
            let layout = if is_single { TopicLayout::Single } else { TopicLayout::PerType };
            let job_type = JobType::parse(job_type).expect("a job type");
            assert_eq!(TopicNames { prefix, layout }.of_type(&job_type), topics, "{job_type}");
            assert!(topics.iter().all(|topic| topic.len() <= TOPIC_BYTES_MAX), "{topics:?}");
        }
    }
}
