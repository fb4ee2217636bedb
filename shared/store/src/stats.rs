//! Figures of queues by minute and hour.

use async_trait::async_trait;
use domain::names::{TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::stats::{Counts, Levels, StatKey, Step};
use domain::time::Timestamp;

use crate::error::StoreResult;

/// Figures of some jobs in a span of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatRow<T> {
    /// How long the span is.
    pub step: Step,
    /// When it begins.
    pub at: Timestamp,
    /// Of which jobs.
    pub key: StatKey,
    /// The figures.
    pub figures: T,
}

/// Which figures are read. Those of all tenants or workflows are rows of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatFilter {
    /// How long the spans are.
    pub step: Step,
    /// Spans that begin at or after this.
    pub from: Timestamp,
    /// Spans that begin before this.
    pub to: Timestamp,
    /// Of one tenant; `None` of all.
    pub tenant: Option<TenantName>,
    /// Of one workflow; `None` of all jobs.
    pub workflow: Option<WorkflowName>,
    /// Only jobs of this queue.
    pub queue: Option<QueueName>,
    /// Only jobs of this tier.
    pub tier: Option<Tier>,
}

/// The figures of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatPoint {
    /// When it begins.
    pub at: Timestamp,
    /// What was done.
    pub counts: Counts,
    /// What waited and ran when it was last looked at.
    pub levels: Levels,
}

/// The store's operations on figures.
#[async_trait]
pub trait StatStore {
    /// Adds to what the rows count. What is added twice counts twice: a call whose answer is lost must not be repeated.
    async fn add_counts(&self, rows: &[StatRow<Counts>]) -> StoreResult<()>;

    /// Sets the levels of rows, in place of what they were.
    async fn set_levels(&self, rows: &[StatRow<Levels>]) -> StoreResult<()>;

    /// Figures by span, summed over queues and tiers, the oldest first. Spans of which there are none are left out.
    async fn stats(&self, filter: &StatFilter) -> StoreResult<Vec<StatPoint>>;

    /// Removes rows of a step from before an instant, at most `limit`; answers how many.
    async fn prune_stats(&self, step: Step, before: Timestamp, limit: u32) -> StoreResult<u64>;
}
