//! Dispatch as it is shown.

use std::collections::BTreeMap;

use domain::dispatch::{HeldType, PublishFault, ShardView};
use domain::names::JobType;
use domain::time::Timestamp;
use engine::DispatchReport;
use serde::Serialize;
use store::dispatch::{DispatchNode, OfferFigures};
use utoipa::ToSchema;
use uuid::Uuid;

/// The state of dispatch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Dispatch)]
pub(crate) struct DispatchResponse {
    /// `polling` or `kafka_outbox`.
    #[schema(value_type = String)]
    mode: &'static str,
    /// Whether dispatch is draining: no more offers are made.
    draining: bool,
    outbox: OutboxResponse,
    offers: OffersResponse,
    /// Messages per second that relays published recently.
    published_per_second: u64,
    /// Processes that use the database.
    nodes: Vec<NodeResponse>,
    shards: Vec<ShardResponse>,
}

/// Waiting jobs of external workers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DispatchOutbox)]
pub(crate) struct OutboxResponse {
    /// Number of waiting jobs; a lower bound if `exact` is false.
    jobs: u64,
    exact: bool,
    /// Time at which the oldest of them was queued.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    oldest_at: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    as_of: Timestamp,
}

/// Open offers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DispatchOffers)]
pub(crate) struct OffersResponse {
    /// Number of offers.
    standing: u64,
    /// Number of messages that the broker has not acknowledged.
    unacknowledged: u64,
    /// Number of offers that the broker has but no worker has accepted.
    lag: u64,
    /// Time at which the oldest offer was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    oldest_at: Option<Timestamp>,
    job_types: Vec<OffersOfTypeResponse>,
}

/// Offers of a job type.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DispatchOffersOfType)]
pub(crate) struct OffersOfTypeResponse {
    #[schema(value_type = String)]
    job_type: JobType,
    standing: u64,
    /// Time at which the oldest offer was made.
    #[schema(value_type = String, format = DateTime)]
    oldest_at: Timestamp,
}

/// A process that uses the database.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DispatchNode)]
pub(crate) struct NodeResponse {
    name: String,
    /// Whether it publishes offers.
    relay: bool,
    /// Time since which its relay has been unable to reach a broker.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    broker_away_since: Option<Timestamp>,
    /// Messages published since it started.
    published: u64,
    /// Failures to publish a message since it started.
    publish_errors: u64,
    /// Messages that the broker has not acknowledged.
    unacknowledged: u64,
    published_per_second: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<PublishFaultResponse>,
    /// Job types with waiting jobs for which it makes no offers, at most 100.
    held_types: Vec<HeldTypeResponse>,
}

/// A job type for which no offers are made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DispatchHeldType)]
pub(crate) struct HeldTypeResponse {
    #[schema(value_type = String)]
    job_type: JobType,
    /// `topic_not_created`, `not_acknowledged`, or why its topics could not be looked up.
    reason: String,
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
}

/// A failure to publish a message.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DispatchFault)]
pub(crate) struct PublishFaultResponse {
    /// `broker_away`, `queue_full`, `not_acknowledged`, or the code of dead letters, such as `message_too_large`.
    reason: String,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

/// A shard of job types.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DispatchShard)]
pub(crate) struct ShardResponse {
    shard: u32,
    /// Number of the term, which increases with each new owner.
    term: i64,
    /// Name of the node that publishes its offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    /// Time at which the term ends unless it is renewed. Present with `node`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
}

impl From<DispatchReport> for DispatchResponse {
    fn from(report: DispatchReport) -> Self {
        let DispatchReport { view, outbox } = report;
        let offers = OffersResponse {
            standing: view.standing(),
            unacknowledged: view.unacknowledged(),
            lag: view.lag(),
            oldest_at: view.oldest_offer(),
            job_types: view.offers.into_iter().map(OffersOfTypeResponse::from).collect(),
        };
        let names: BTreeMap<Uuid, String> =
            view.nodes.iter().map(|node| (node.id, node.name.clone())).collect();
        Self {
            mode: view.mode.as_str(),
            draining: view.is_draining,
            outbox: OutboxResponse {
                jobs: outbox.jobs,
                exact: outbox.is_exact,
                oldest_at: outbox.oldest_at,
                as_of: outbox.as_of,
            },
            offers,
            published_per_second: view.nodes.iter().map(|node| node.figures.published_per_second).sum(),
            shards: view.shards.iter().map(|shard| ShardResponse::new(shard, &names)).collect(),
            nodes: view.nodes.into_iter().map(NodeResponse::from).collect(),
        }
    }
}

impl From<OfferFigures> for OffersOfTypeResponse {
    fn from(offers: OfferFigures) -> Self {
        Self { job_type: offers.job_type, standing: offers.standing, oldest_at: offers.oldest }
    }
}

impl From<DispatchNode> for NodeResponse {
    fn from(node: DispatchNode) -> Self {
        let figures = node.figures;
        let fault = |PublishFault { reason, at }| PublishFaultResponse { reason, at };
        let held = |HeldType { job_type, reason, since }| HeldTypeResponse { job_type, reason, since };
        Self {
            name: node.name,
            relay: node.relays,
            broker_away_since: node.broker_away_since,
            published: figures.published,
            publish_errors: figures.errors,
            unacknowledged: figures.unacknowledged,
            published_per_second: figures.published_per_second,
            last_error: figures.last_error.map(fault),
            held_types: figures.held.into_iter().map(held).collect(),
        }
    }
}

impl ShardResponse {
    fn new(shard: &ShardView, names: &BTreeMap<Uuid, String>) -> Self {
        let node = shard.owner.and_then(|owner| names.get(&owner).cloned());
        let until = node.as_ref().map(|_| shard.until);
        Self { shard: shard.shard, term: shard.term, node, until }
    }
}
