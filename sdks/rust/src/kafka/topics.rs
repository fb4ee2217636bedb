//! The names of topics, as `docs/kafka.md` has them.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

const TOPIC_BYTES_MAX: usize = 249;

/// How the server distributes jobs over topics: its setting `kafka.topics`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TopicLayout {
    /// Three topics of each job type, one a tier.
    #[default]
    PerType,
    /// Three topics in all.
    Single,
}

/// How many tiers there are.
pub(super) const TIERS: usize = 3;

/// The topics of a job type, that of the highest tier first.
pub(super) fn topics_of(prefix: &str, job_type: &str, layout: TopicLayout) -> [String; TIERS] {
    ["high", "normal", "low"].map(|tier| {
        if layout == TopicLayout::Single {
            return format!("{prefix}.jobs.{tier}");
        }
        let name = format!("{prefix}.jobs.{}.{tier}", escaped(job_type));
        if name.len() <= TOPIC_BYTES_MAX {
            return name;
        }
        let mut digest = String::new();
        for byte in &Sha256::digest(job_type.as_bytes())[..16] {
            let _ = write!(digest, "{byte:02x}");
        }
        format!("{prefix}.jobs._.{digest}.{tier}")
    })
}

/// A job type in the characters of topics: others as `._` and their code, and so a dot before an underscore.
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
    use super::super::tests::table;
    use super::*;

    #[test]
    fn topics_are_those_of_the_server() {
        let table = table();
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        for row in table["topics"].as_array().expect("topics") {
            let is_single = row["layout"] == "single";
            let layout = if is_single { TopicLayout::Single } else { TopicLayout::PerType };
            let topics = topics_of(&text(&row["prefix"]), &text(&row["jobType"]), layout);
            assert_eq!(serde_json::json!(topics), row["topics"], "{row}");
        }
    }
}
