//! Put another definition into the place of a schedule.

use domain::access::Permission;
use domain::id::ScheduleId;
use store::schedules::ScheduleRecord;

use super::request::ScheduleRequest;
use super::view::ScheduleView;
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Replaces a schedule. It keeps its id, its tenant and its history, and stays paused if nothing is said.
    pub async fn replace_schedule(
        &self,
        caller: &Caller,
        id: ScheduleId,
        request: ScheduleRequest,
    ) -> Result<ScheduleView, EngineError> {
        caller.require(Permission::Operate)?;
        let present = self.known_schedule(caller, id).await?.record;
        let tenant = present.tenant;
        if request.tenant.as_ref().is_some_and(|asked| *asked != tenant) {
            return Err(EngineError::invalid(
                "/tenant",
                "a schedule stays with its tenant; make another one",
            ));
        }
        let (timing, workflow) = self.checked_schedule(&tenant, &request, present.created_at).await?;
        let change = |present: ScheduleRecord| {
            Some(ScheduleRecord {
                name: request.name.as_str().to_owned(),
                workflow: workflow.clone(),
                cron: request.cron.clone(),
                interval: timing.interval(),
                timezone: timing.zone_name().to_owned(),
                input: request.input.clone(),
                tier: request.tier(),
                policy: request.policy.clone(),
                is_paused: request.is_paused.unwrap_or(present.is_paused),
                ..present
            })
        };
        let audited = AuditedAction::new("schedule.edit", &id).of(Some(tenant.clone()));
        let mut recording = self.recording(caller, audited);
        let (record, _) = recording.of(self.change_schedule(caller, id, change)).await?;
        self.recorded(recording).await;
        let now = record.updated_at;
        Ok(self.view(record, now))
    }
}
