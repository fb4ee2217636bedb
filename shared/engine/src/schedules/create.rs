//! Create a schedule. It fires from now on; slots that are past belong to nobody.

use domain::access::Permission;
use domain::error::Fault;
use domain::lane::WorkflowRef;
use domain::names::TenantName;
use domain::schedule::tzdb_version;
use domain::time::Timestamp;
use std::sync::Arc;

use store::schedules::{ScheduleRecord, ScheduleSaved};

use super::change::{name_taken, next_run_at};
use super::request::ScheduleRequest;
use super::timing::Timing;
use super::view::ScheduleView;
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Creates a schedule.
    pub async fn create_schedule(
        &self,
        caller: &Caller,
        request: ScheduleRequest,
    ) -> Result<ScheduleView, EngineError> {
        caller.require(Permission::Operate)?;
        let tenant = caller.tenant_or_default(request.tenant.clone())?;
        let now = self.now();
        let (timing, workflow) = self.checked_schedule(&tenant, &request, now).await?;
        let mut record = ScheduleRecord {
            id: self.make_id(caller, &["schedule"], now),
            tenant,
            tier: request.tier(),
            name: request.name.as_str().to_owned(),
            workflow,
            cron: request.cron,
            interval: timing.interval(),
            timezone: timing.zone_name().to_owned(),
            input: request.input,
            policy: request.policy,
            is_paused: request.is_paused.unwrap_or(false),
            version: 1,
            cursor: now,
            next_run_at: None,
            tzdb_version: tzdb_version(),
            created_at: now,
            updated_at: now,
        };
        record.next_run_at = next_run_at(&timing, &record, now);
        let audited = AuditedAction::new("schedule.create", &record.id).of(Some(record.tenant.clone()));
        let mut recording = self.recording(caller, audited);
        match recording.of(self.store().create_schedule(&record)).await? {
            ScheduleSaved::NameTaken => return Err(name_taken(&record)),
            ScheduleSaved::Saved | ScheduleSaved::Stale | ScheduleSaved::NotFound => {}
        }
        self.recorded(recording).await;
        // A repeated request is answered with what is there: it may have been changed since.
        let record = self.known_schedule(caller, record.id).await?.record;
        Ok(self.view(record, now))
    }

    /// Checks everything about a request, and answers its timing and the workflow that it starts. Faults are reported
    /// all at once.
    pub(super) async fn checked_schedule(
        &self,
        tenant: &TenantName,
        request: &ScheduleRequest,
        created_at: Timestamp,
    ) -> Result<(Arc<Timing>, WorkflowRef), EngineError> {
        let mut faults = Faults::default();
        let timings = &self.memory().schedules.timings;
        let timing = timings.asked(request, created_at);
        faults.extend(timing.as_ref().err().cloned().unwrap_or_default(), "");
        let own = request.faults(self.policy());
        // An input that is too large or too deep is not looked at any further.
        let is_input_bad = own.iter().any(|fault: &Fault| fault.pointer == "/input");
        faults.extend(own, "");
        let workflow = match self.checked_workflow(tenant, request).await {
            Ok(workflow) => Some(workflow),
            Err(EngineError::Invalid(found)) if is_input_bad => {
                faults.extend(found.into_iter().filter(|fault| fault.pointer == "/workflow").collect(), "");
                None
            }
            Err(EngineError::Invalid(found)) => {
                faults.extend(found, "");
                None
            }
            Err(error) => return Err(error),
        };
        faults.check()?;
        match (timing, workflow) {
            (Ok(timing), Some(workflow)) => Ok((timing, workflow)),
            (Err(faults), _) => Err(EngineError::Invalid(faults)),
            (Ok(_), None) => Err(EngineError::invalid("/workflow", "it cannot be started")),
        }
    }
}
