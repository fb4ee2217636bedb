//! Topics: where the jobs of a type and tier are published.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::names::JobType;
use crate::queue::Tier;

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

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// What consumers expect: the SDKs read the same table.
    const TABLE: &str = include_str!("../../../../sdks/conformance/kafka.json");

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
