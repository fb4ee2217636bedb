//! Models of dispatch. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// The state of dispatch.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Dispatch {
    /// Whether dispatch is draining: no more offers are made.
    pub draining: bool,
    /// `polling` or `kafka_outbox`.
    pub mode: String,
    /// Processes that use the database.
    pub nodes: Vec<DispatchNode>,
    /// `offers`.
    pub offers: DispatchOffers,
    /// `outbox`.
    pub outbox: DispatchOutbox,
    /// Messages per second that relays published recently.
    pub published_per_second: i64,
    /// `shards`.
    pub shards: Vec<DispatchShard>,
}

/// A failure to publish a message.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchFault {
    /// `at`.
    pub at: Timestamp,
    /// `broker_away`, `queue_full`, `not_acknowledged`, or the code of dead letters, such as `message_too_large`.
    pub reason: String,
}

/// A job type for which no offers are made.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchHeldType {
    /// `jobType`.
    pub job_type: String,
    /// `topic_not_created`, `not_acknowledged`, or why its topics could not be looked up.
    pub reason: String,
    /// `since`.
    pub since: Timestamp,
}

/// A process that uses the database.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchNode {
    /// Time since which its relay has been unable to reach a broker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker_away_since: Option<Timestamp>,
    /// Job types with waiting jobs for which it makes no offers, at most 100.
    pub held_types: Vec<DispatchHeldType>,
    /// `lastError`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<DispatchFault>,
    /// `name`.
    pub name: String,
    /// Failures to publish a message since it started.
    pub publish_errors: i64,
    /// Messages published since it started.
    pub published: i64,
    /// `publishedPerSecond`.
    pub published_per_second: i64,
    /// Whether it publishes offers.
    pub relay: bool,
    /// Messages that the broker has not acknowledged.
    pub unacknowledged: i64,
}

/// Open offers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchOffers {
    /// `jobTypes`.
    pub job_types: Vec<DispatchOffersOfType>,
    /// Number of offers that the broker has but no worker has accepted.
    pub lag: i64,
    /// Time at which the oldest offer was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_at: Option<Timestamp>,
    /// Number of offers.
    pub standing: i64,
    /// Number of messages that the broker has not acknowledged.
    pub unacknowledged: i64,
}

/// Offers of a job type.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchOffersOfType {
    /// `jobType`.
    pub job_type: String,
    /// Time at which the oldest offer was made.
    pub oldest_at: Timestamp,
    /// `standing`.
    pub standing: i64,
}

/// Waiting jobs of external workers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchOutbox {
    /// `asOf`.
    pub as_of: Timestamp,
    /// `exact`.
    pub exact: bool,
    /// Number of waiting jobs; a lower bound if `exact` is false.
    pub jobs: i64,
    /// Time at which the oldest of them was queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_at: Option<Timestamp>,
}

/// A shard of job types.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DispatchShard {
    /// Name of the node that publishes its offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// `shard`.
    pub shard: i32,
    /// Number of the term, which increases with each new owner.
    pub term: i64,
    /// Time at which the term ends unless it is renewed. Present with `node`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}
