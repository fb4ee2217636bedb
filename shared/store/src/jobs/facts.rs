//! What a store knows of a job for those who explain and measure.

use domain::id::{ExecutionId, JobId};
use domain::queue::{LaneId, QueueName, Tier};
use domain::rate::{Rate, RateSubject, StartCount};
use domain::time::Timestamp;

/// What is known of an attempt that was settled, for those who measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledFacts {
    /// The lane that the job was in, for [`JobStore::lane_key`](super::JobStore::lane_key).
    pub lane: LaneId,
    /// The tier that the job was enqueued at.
    pub tier: Tier,
    /// When the job was created.
    pub created_at: Timestamp,
    /// When the attempt started.
    pub started_at: Option<Timestamp>,
    /// When it was settled.
    pub settled_at: Timestamp,
    /// W3C trace context of whoever enqueued it.
    pub traceparent: Option<String>,
}

/// What the store knows of why a job waits; the engine adds limits, pauses and workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitFacts {
    /// Queued jobs of the same lane ahead of it, counted up to 10,000.
    pub rank: u64,
    /// Leased jobs of the queue that count against the global limit: how many, and the ids of at most ten.
    pub running_global: (u32, Vec<JobId>),
    /// The same for the job's tenant.
    pub running_tenant: (u32, Vec<JobId>),
    /// The same for the job's workflow.
    pub running_workflow: (u32, Vec<JobId>),
    /// The same for the job's type.
    pub running_job_type: (u32, Vec<JobId>),
    /// The same for the jobs of the tenant with the job's rate key.
    pub running_rate_key: (u32, Vec<JobId>),
    /// Those of its tenant and its type.
    pub running_tenant_job_type: (u32, Vec<JobId>),
    /// The rates that its start counts under, with what was counted up to now; empty where it waits for none.
    pub starts: Vec<(RateSubject, Rate, StartCount)>,
    /// How many jobs with its concurrency key may be leased at once, and those that are leased or will be next: how many (up to
    /// 10,000), and the ids of at most ten. Absent without a key, or where it is one of those.
    pub concurrency_key: Option<(u32, (u32, Vec<JobId>))>,
    /// How often it was offered and nobody took it.
    pub offers_returned: u32,
}

// What nobody started in time, for whoever has to be notified of it.

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
