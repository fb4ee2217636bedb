//! Remove a schedule with its history. Its executions stay, and what runs goes on.

use domain::access::Permission;
use domain::id::ScheduleId;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Removes a schedule.
    pub async fn delete_schedule(&self, caller: &Caller, id: ScheduleId) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        let found = self.known_schedule(caller, id).await?;
        let audited = AuditedAction::new("schedule.delete", &id).of(Some(found.record.tenant));
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().delete_schedule(&caller.scope, id)).await? {
            return Err(EngineError::not_found("schedule", &id));
        }
        self.recorded(recording).await;
        Ok(())
    }
}
