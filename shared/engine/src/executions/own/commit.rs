//! Commit a step: everything it did in one transaction, gated by the lease.

use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionState, NodeJob};
use store::executions::{Committed, ExecutionCommit, ExecutionRecord, OwnerNext};
use store::jobs::{LeaseRef, NewJob};
use store::wakeup::Hint;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::own::step::Step;
use crate::policy::QueuePolicy;

/// What the jobs of an execution's nodes have in common.
pub(super) struct Heritage {
    execution: ExecutionRecord,
    defaults: QueuePolicy,
}

impl Heritage {
    pub(super) fn new(execution: ExecutionRecord, defaults: QueuePolicy) -> Self {
        Self { execution, defaults }
    }

    fn node_job(&self, job: NodeJob, now: Timestamp) -> NewJob {
        NewJob {
            id: job.id,
            queue: QueueName::Node,
            tier: job.tier,
            tenant: self.execution.tenant.clone(),
            workflow: Some(self.execution.workflow.clone()),
            job_type: job.job_type,
            data: job.data.to_string(),
            run_at: now,
            retries_max: job.retries_max.unwrap_or(self.defaults.retries_max),
            backoff: job.backoff.unwrap_or(self.defaults.backoff),
            timeout: job.timeout,
            unique_key: None,
            concurrency_key: None,
            tags: Vec::new(),
            traceparent: self.execution.traceparent.clone(),
            execution_id: Some(self.execution.id),
            node_id: Some(job.node),
        }
    }
}

/// Puts a step into the form of the store.
pub(super) fn commit_of(
    heritage: &Heritage,
    lease: LeaseRef,
    state: &ExecutionState,
    step: Step,
    now: Timestamp,
) -> Result<ExecutionCommit, EngineError> {
    Ok(ExecutionCommit {
        id: heritage.execution.id,
        lease,
        status: state.status,
        state: encode(state)?,
        started_at: state.started_at,
        records: step.records,
        events: step.events,
        enqueue: step.enqueue.into_iter().map(|job| heritage.node_job(job, now)).collect(),
        cancel: step.cancel,
        inbox: step.inbox,
        output: step.output.map(|output| output.to_string()),
        error: state.error.clone(),
        next: if state.status.is_terminal() { OwnerNext::Finish } else { OwnerNext::Keep },
    })
}

/// The snapshot of a state.
pub(super) fn encode(state: &ExecutionState) -> Result<Vec<u8>, EngineError> {
    state.to_snapshot().map_err(|source| EngineError::Encoding {
        what: "the state of an execution",
        source: Box::new(source),
    })
}

impl Engine {
    /// Hints after a commit.
    pub(super) fn wake_committed(&self, commit: &ExecutionCommit, committed: &Committed) {
        let mut hints = Vec::new();
        if !commit.enqueue.is_empty() || committed.freed_node_slots {
            hints.push(Hint::Queue(QueueName::Node));
        }
        if commit.next == OwnerNext::Finish {
            hints.extend([Hint::Finished(commit.id), Hint::Queue(QueueName::Execution)]);
        }
        self.wake(&hints);
    }
}
