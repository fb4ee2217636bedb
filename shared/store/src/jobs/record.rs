//! Jobs as they are shown: what is kept of them and of their attempts.

use domain::failure::JobError;
use domain::id::{ExecutionId, JobId};
use domain::job::{AttemptStatus, JobStatus};
use domain::names::{JobType, NodeId, TenantName, WorkerId};
use domain::queue::{QueueName, Tier, WorkflowRef};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};

/// Everything about a job, for showing it.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRecord {
    /// Its id, the same over all attempts and requeues.
    pub id: JobId,
    /// Its position in its lane.
    pub position: i64,
    /// The queue that it belongs to.
    pub queue: QueueName,
    /// Which handler runs it.
    pub job_type: JobType,
    /// Its state now.
    pub status: JobStatus,
    /// The tier it was enqueued (or reprioritised) at.
    pub tier: Tier,
    /// The tenant that it belongs to.
    pub tenant: TenantName,
    /// The workflow it counts against.
    pub workflow: Option<WorkflowRef>,
    /// The execution it belongs to.
    pub execution_id: Option<ExecutionId>,
    /// The node it runs.
    pub node_id: Option<NodeId>,
    /// The payload as raw JSON text. Absent in lists where it is large, and must be asked for with its job.
    pub data: Option<String>,
    /// The result as raw JSON text.
    pub result: Option<String>,
    /// The error of the last attempt that failed.
    pub error: Option<JobError>,
    /// Progress as raw JSON text.
    pub progress: Option<String>,
    /// How often it was tried again so far.
    pub retry_count: u32,
    /// How often it may be tried again.
    pub retries_max: u32,
    /// How long it waits between attempts.
    pub backoff: Backoff,
    /// How long one attempt may take; `None` is unlimited.
    pub timeout: Option<DurationMs>,
    /// At most one unfinished job of the tenant has this key.
    pub unique_key: Option<String>,
    /// At most one leased job of the tenant has this key, or as many as is declared for it.
    pub concurrency_key: Option<String>,
    /// The key of the tenant under which its starts are counted besides.
    pub rate_key: Option<String>,
    /// For filters of lists.
    pub tags: Vec<String>,
    /// W3C trace context of whoever enqueued it.
    pub traceparent: Option<String>,
    /// When it may (next) run.
    pub run_at: Timestamp,
    /// When it was enqueued.
    pub created_at: Timestamp,
    /// When the last attempt started.
    pub processed_at: Option<Timestamp>,
    /// When it ended, however it did; `None` before.
    pub completed_at: Option<Timestamp>,
    /// The end of the lease, while it is leased.
    pub lease_until: Option<Timestamp>,
    /// Until when it is offered, where it is; its state is QUEUED then, and no worker holds it.
    pub offered_until: Option<Timestamp>,
    /// Who holds or held it last.
    pub worker_id: Option<WorkerId>,
    /// Its attempts, oldest first. Empty in lists.
    pub attempts: Vec<AttemptRecord>,
    /// When retention dropped its data and its result.
    pub payload_dropped_at: Option<Timestamp>,
}

/// One attempt in the history of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptRecord {
    /// Its number, from 1.
    pub attempt_number: u32,
    /// How it ended; `None` while it runs.
    pub status: Option<AttemptStatus>,
    /// Why it failed; `None` where it did not.
    pub error: Option<JobError>,
    /// When it was claimed.
    pub started_at: Timestamp,
    /// When it was settled.
    pub finished_at: Option<Timestamp>,
    /// The worker that held its lease.
    pub worker_id: WorkerId,
}
