//! Figures of relays, for those who look at a deployment.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::names::JobType;
use crate::time::Timestamp;

/// What a relay has done since its process began.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RelayFigures {
    /// Messages that the broker acknowledged.
    pub published: u64,
    /// How often a message could not be published. One that is sent again may count again.
    pub errors: u64,
    /// Messages that the broker has not acknowledged yet.
    pub unacknowledged: u64,
    /// How many were acknowledged a second, since the relay was renewed before.
    pub published_per_second: u64,
    /// The last failure.
    pub last_error: Option<PublishFault>,
    /// Job types of which jobs wait and it makes no offers, those first that are held for longest: at most [`HELD_TYPES_MAX`].
    pub held: Vec<HeldType>,
}

/// How many held types a relay names.
pub const HELD_TYPES_MAX: usize = 100;

/// A job type of which a relay makes no offers for now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldType {
    /// The type.
    pub job_type: JobType,
    /// A stable word: [`TOPIC_NOT_CREATED`], [`NOT_ACKNOWLEDGED`], or why its topics could not be looked up.
    pub reason: String,
    /// Since when.
    pub since: Timestamp,
}

/// A failure to publish a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishFault {
    /// A stable word: `broker_away`, `queue_full`, `not_acknowledged`, `topic_not_created`, `message_too_large`, …
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

/// The reason where a topic cannot be created for now: jobs of its type wait.
pub const TOPIC_NOT_CREATED: &str = "topic_not_created";

/// The reason where brokers do not answer for messages. Where they answer for none of a type, its jobs wait.
pub const NOT_ACKNOWLEDGED: &str = "not_acknowledged";

/// How many a second that is, rounded up, so that anything at all shows. 0 where no time has passed.
pub fn per_second(count: u64, within: Duration) -> u64 {
    let milliseconds = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
    if milliseconds == 0 { 0 } else { count.saturating_mul(1_000).div_ceil(milliseconds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_rounded_up() {
        assert_eq!(per_second(0, Duration::from_secs(3)), 0);
        assert_eq!(per_second(1, Duration::from_secs(3)), 1);
        assert_eq!(per_second(10_000, Duration::from_millis(3_300)), 3_031);
        assert_eq!(per_second(5, Duration::ZERO), 0);
        assert_eq!(per_second(u64::MAX, Duration::from_secs(1)), u64::MAX.div_ceil(1_000));
    }
}
