//! Move a waiting job to another tier.

use domain::access::Permission;
use domain::id::JobId;
use domain::job::JobStatus;
use domain::queue::Tier;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::cancel::refused;

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
        let status =
            self.changed(id, &change, |status| refused("job_not_waiting", "moved to another tier", status))?;
        self.recorded(recording).await;
        Ok(status)
    }
}
