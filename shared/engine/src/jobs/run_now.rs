//! Run a job now that waits for its time or its next try.

use domain::access::Permission;
use domain::id::JobId;
use domain::job::JobStatus;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::cancel::refused;

impl Engine {
    /// Makes a SCHEDULED or RETRY_WAIT job due and answers its state.
    pub async fn run_job_now(&self, caller: &Caller, id: JobId) -> Result<JobStatus, EngineError> {
        caller.require(Permission::Start)?;
        let tenant = self.known_job(caller, id).await?.tenant;
        let audited = AuditedAction::new("job.run_now", &id).of(Some(tenant));
        let mut recording = self.recording(caller, audited);
        let change = recording.of(self.store().run_job_now(&caller.scope, id, self.now())).await?;
        let status = self.changed(id, &change, |status| refused("job_not_waiting", "run now", status))?;
        self.recorded(recording).await;
        Ok(status)
    }
}
