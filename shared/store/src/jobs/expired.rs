//! What nobody started in time, for whoever has to be notified of it.

use domain::id::ExecutionId;
use domain::lane::LaneId;
use domain::queue::{QueueName, Tier};

/// What one call of [`JobStore::expire_unstarted`](super::JobStore::expire_unstarted) ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExpiredStarts {
    /// The jobs of nodes and stand-alone jobs.
    pub jobs: Vec<ExpiredJob>,
    /// The executions.
    pub executions: Vec<ExecutionId>,
    /// Executions in whose inboxes there is something new.
    pub inboxes: Vec<ExecutionId>,
    /// Whether there may be more.
    pub more: bool,
}

/// A job that nobody started in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiredJob {
    /// Its queue.
    pub queue: QueueName,
    /// Its lane.
    pub lane: LaneId,
    /// The tier that it was enqueued at.
    pub tier: Tier,
}
