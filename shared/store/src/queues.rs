//! Queues: counts, pauses, figures of the last minute.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::queue::{QueueName, Tier};
use domain::scaling::QueueLoad;
use domain::time::{DurationMs, Timestamp};

use crate::error::StoreResult;

domain::words! {
    /// Whether a queue's jobs are leased, and whether it accepts new ones.
    QueueMode {
        /// It does.
        Running "running",
        /// It does not; jobs are accepted.
        Paused "paused",
        /// Its jobs are leased, and it accepts no new ones from callers.
        Draining "draining",
    }
}

/// The figures of one tier of a queue.
#[derive(Debug, Clone, PartialEq)]
pub struct TierFigures {
    /// The tier that is counted.
    pub tier: Tier,
    /// Waiting for a claim.
    pub queued: u64,
    /// How many jobs are leased.
    pub processing: u64,
    /// Waiting for the next try.
    pub retry_wait: u64,
    /// Waiting for their time.
    pub scheduled: u64,
    /// How many jobs of parked executions there are.
    pub waiting: u64,
    /// How long the oldest queued job has been claimable.
    pub oldest_age: Option<DurationMs>,
}

/// The figures of what ended lately.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecentFigures {
    /// Jobs that ended in the last minute.
    pub ended: u64,
    /// Of these, how many did not complete.
    pub failed: u64,
    /// From claimable to claimed, of a sample of them: p50, p95, p99.
    pub wait: Option<[DurationMs; 3]>,
    /// From claimed to settled, of a sample of them: p50, p95, p99.
    pub run: Option<[DurationMs; 3]>,
}

/// The figures of one queue.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueFigures {
    /// The queue that is counted.
    pub queue: QueueName,
    /// Whether its jobs are leased, and whether it accepts new ones.
    pub mode: QueueMode,
    /// One line for each tier.
    pub tiers: Vec<TierFigures>,
    /// What ended in the last minute.
    pub recent: RecentFigures,
    /// How many dead letters wait for an operator.
    pub dead_letters: u64,
}

/// The store's operations on queues.
#[async_trait]
pub trait QueueStore {
    /// The figures of a queue, as far as `scope` sees its jobs.
    async fn queue_figures(
        &self,
        scope: &TenantScope,
        queue: QueueName,
        now: Timestamp,
    ) -> StoreResult<QueueFigures>;

    /// Counts a large queue anew where what is kept of it is about to be old, so that nobody who asks waits for that.
    async fn renew_queue_figures(&self, queue: QueueName, now: Timestamp) -> StoreResult<()>;

    /// What waits and runs in a queue by lane, of all tenants. Bounded: the jobs of a lane, and the lanes, are counted up to
    /// a number, and [`QueueLoad::is_exact`] says whether that was all.
    async fn queue_load(&self, queue: QueueName, now: Timestamp) -> StoreResult<QueueLoad>;

    /// The modes of all queues.
    async fn queue_modes(&self) -> StoreResult<Vec<(QueueName, QueueMode)>>;

    /// Changes a queue's mode. A claim that starts after the commit sees it.
    async fn set_queue_mode(&self, queue: QueueName, mode: QueueMode, now: Timestamp) -> StoreResult<()>;
}
