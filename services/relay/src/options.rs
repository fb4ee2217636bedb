//! How a relay works.

use std::time::Duration;

use domain::dispatch::TopicNames;
use domain::time::DurationMs;

use crate::envelope::Envelope;

/// How a relay works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayOptions {
    /// What people know the process by.
    pub name: String,
    /// Where jobs are published.
    pub topics: TopicNames,
    /// How messages are encoded.
    pub envelope: Envelope,
    /// How many offers of a job type may stand.
    pub window: u64,
    /// How long an offer stands.
    pub offer_timeout: DurationMs,
    /// For how long shards are leased. Renewed after a third of it.
    pub term: Duration,
    /// The time between claims that hints of jobs ask for.
    pub claim_least: Duration,
    /// The time between comparisons with all offers that stand. Looks in between ask about some of them.
    pub compare_every: Duration,
    /// How long a type waits for topics that were not there, before they are looked up again.
    pub topics_after: Duration,
    /// The time between looks while there is more to offer.
    pub look_least: Duration,
    /// The time between looks while nothing happens.
    pub look_most: Duration,
    /// How long the broker may answer for no message of a type of which it has many, before the type is held.
    pub stalled_after: Duration,
    /// How many messages the broker has not acknowledged at most, before nothing more is claimed.
    pub unacknowledged_max: usize,
    /// How many bytes of messages are kept at most, before nothing more is claimed.
    pub bytes_max: usize,
    /// How long a failed message waits before it is sent again.
    pub retry_after: Duration,
    /// How long messages may take to be acknowledged when the relay ends.
    pub end_within: Duration,
}

impl RelayOptions {
    /// The defaults beside what the settings say.
    pub fn new(name: impl Into<String>, topics: TopicNames, window: u64, offer_timeout: DurationMs) -> Self {
        Self {
            name: name.into(),
            topics,
            envelope: Envelope::Json,
            window,
            offer_timeout,
            term: Duration::from_secs(10),
            claim_least: Duration::from_millis(5),
            compare_every: Duration::from_secs(3),
            topics_after: Duration::from_secs(2),
            look_least: Duration::from_millis(25),
            look_most: Duration::from_millis(500),
            stalled_after: Duration::from_secs(10),
            unacknowledged_max: 20_000,
            bytes_max: 64 << 20,
            retry_after: Duration::from_millis(200),
            end_within: Duration::from_secs(5),
        }
    }
}
