//! Cancel a job. The job of an execution is cancelled by asking the execution to stop.

use domain::access::Permission;
use domain::id::{ExecutionId, JobId};
use domain::job::JobStatus;
use domain::queue::QueueName;
use store::executions::InboxEntry;
use store::jobs::JobChange;
use store::wakeup::Hint;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

impl Engine {
    /// Cancels a job that has not ended and answers its state.
    pub async fn cancel_job(&self, caller: &Caller, id: JobId) -> Result<JobStatus, EngineError> {
        caller.require(Permission::Start)?;
        let job = self.known_job(caller, id).await?;
        let audited = AuditedAction::new("job.cancel", &id).of(Some(job.tenant.clone()));
        if let (QueueName::Execution, Some(execution)) = (job.queue, job.execution_id) {
            if job.status.is_terminal() {
                return Err(refused("job_not_cancellable", "cancelled", job.status));
            }
            self.stop_execution(caller, execution, audited).await?;
            return Ok(self.known_job(caller, id).await?.status);
        }
        let mut recording = self.recording(caller, audited);
        let change = recording.of(self.store().cancel_job(&caller.scope, id, self.now())).await?;
        let status = self.changed(id, &change, refused_cancel)?;
        metrics::cancelled(&job);
        self.recorded(recording).await;
        Ok(status)
    }

    async fn stop_execution(
        &self,
        caller: &Caller,
        id: ExecutionId,
        audited: AuditedAction,
    ) -> Result<(), EngineError> {
        let cancel =
            InboxEntry::Cancel { reason: Some("Its job was cancelled.".to_owned()), compensate: false };
        self.append(caller, id, &cancel, audited).await.map(|_position| ())
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

fn refused_cancel(status: JobStatus) -> EngineError {
    refused("job_not_cancellable", "cancelled", status)
}

/// The refusal of a change in the state in which the job is.
pub(crate) fn refused(code: &'static str, participle: &str, status: JobStatus) -> EngineError {
    EngineError::Conflict {
        code,
        message: format!("A job that is {} cannot be {participle}.", status.as_str()),
    }
}
