//! Look at jobs, and change one: cancel it, run it now, give it another priority.

use domain::access::Permission;
use domain::id::JobId;
use domain::job::JobStatus;
use domain::problem::ProblemCode;
use domain::queue::{QueueName, Tier};
use store::executions::InboxEntry;
use store::jobs::{JobChange, JobRecord};
use store::wakeup::Hint;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

impl Engine {
    /// A job with its attempts.
    pub async fn job(&self, caller: &Caller, id: JobId) -> Result<JobRecord, EngineError> {
        caller.require(Permission::Read)?;
        self.known_job(caller, id).await
    }

    /// A job that the caller may know of, whatever its role.
    pub(crate) async fn known_job(&self, caller: &Caller, id: JobId) -> Result<JobRecord, EngineError> {
        let found = self.store().job(&caller.scope, id).await?;
        found.ok_or_else(|| EngineError::not_found("job", &id))
    }
}

// Cancel a job. The job of an execution is cancelled by asking the execution to stop.

impl Engine {
    /// Cancels a job that has not ended and answers its state.
    pub async fn cancel_job(&self, caller: &Caller, id: JobId) -> Result<JobStatus, EngineError> {
        caller.require(Permission::Start)?;
        let job = self.known_job(caller, id).await?;
        let audited = AuditedAction::new("job.cancel", &id).of(Some(job.tenant.clone()));
        if let (QueueName::Execution, Some(execution)) = (job.queue, job.execution_id) {
            if job.status.is_terminal() {
                // An earlier call under the same idempotency key may have cancelled it.
                self.appended_before(caller, execution, &stop(), refused_cancel(job.status)).await?;
                return Ok(job.status);
            }
            self.append(caller, execution, &stop(), audited).await?;
            return Ok(self.known_job(caller, id).await?.status);
        }
        let mut recording = self.recording(caller, audited);
        let change = recording.of(self.store().cancel_job(&caller.scope, id, self.now())).await?;
        let status = self.changed(id, &change, refused_cancel)?;
        metrics::cancelled(&job);
        self.recorded(recording).await;
        Ok(status)
    }

    /// Wakes after a change of a job and answers its state, or what refused it.
    pub(crate) fn changed(
        &self,
        id: JobId,
        change: &JobChange,
        refuse: fn(JobStatus) -> EngineError,
    ) -> Result<JobStatus, EngineError> {
        match *change {
            JobChange::Changed { status, queue, execution_id } => {
                self.wake(&[Hint::Freed(queue)]);
                if let Some(execution) = execution_id {
                    self.wake(&[Hint::Inbox(execution)]);
                }
                Ok(status)
            }
            JobChange::Refused(status) => Err(refuse(status)),
            JobChange::NotFound => Err(EngineError::not_found("job", &id)),
        }
    }
}

/// Asks an execution to stop.
fn stop() -> InboxEntry {
    InboxEntry::Cancel { reason: Some("Its job was cancelled.".to_owned()), compensate: false }
}

fn refused_cancel(status: JobStatus) -> EngineError {
    refused(ProblemCode::JobNotCancellable, "cancelled", status)
}

/// The refusal of a change in the state in which the job is.
pub(crate) fn refused(code: ProblemCode, participle: &str, status: JobStatus) -> EngineError {
    EngineError::Conflict {
        code,
        message: format!("A job that is {} cannot be {participle}.", status.as_str()),
    }
}

// Move a waiting job to another tier.

impl Engine {
    /// Moves a waiting job to another tier and answers its state.
    pub async fn reprioritize_job(
        &self,
        caller: &Caller,
        id: JobId,
        tier: Tier,
    ) -> Result<JobStatus, EngineError> {
        caller.require(Permission::Start)?;
        let job = self.known_job(caller, id).await?;
        let shown = |tier: Tier| serde_json::json!({ "priority": tier.as_str() });
        let audited = AuditedAction::new("job.reprioritize", &id).of(Some(job.tenant)).with(shown(tier));
        let mut recording = self.recording(caller, audited.changing(shown(job.tier), shown(tier)));
        let change = recording.of(self.store().reprioritize_job(&caller.scope, id, tier, self.now())).await?;
        let status = self.changed(id, &change, |status| {
            refused(ProblemCode::JobNotWaiting, "moved to another tier", status)
        })?;
        self.recorded(recording).await;
        Ok(status)
    }
}

// Run a job now that waits for its time or its next try.

impl Engine {
    /// Makes a SCHEDULED or RETRY_WAIT job due and answers its state.
    pub async fn run_job_now(&self, caller: &Caller, id: JobId) -> Result<JobStatus, EngineError> {
        caller.require(Permission::Start)?;
        let tenant = self.known_job(caller, id).await?.tenant;
        let audited = AuditedAction::new("job.run_now", &id).of(Some(tenant));
        let mut recording = self.recording(caller, audited);
        let change = recording.of(self.store().run_job_now(&caller.scope, id, self.now())).await?;
        let status =
            self.changed(id, &change, |status| refused(ProblemCode::JobNotWaiting, "run now", status))?;
        self.recorded(recording).await;
        Ok(status)
    }
}
