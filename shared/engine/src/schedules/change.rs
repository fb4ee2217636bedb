//! Create, edit, remove, pause and resume schedules.
//!
//! What is past when a schedule changes never fires, and what waited is given up: neither belongs to the schedule as it
//! is now.

use std::sync::Arc;

use domain::access::Permission;
use domain::error::Fault;
use domain::id::ScheduleId;
use domain::names::TenantName;
use domain::problem::ProblemCode;
use domain::queue::WorkflowRef;
use domain::quota::QuotaKind;
use domain::schedule::{FireReason, tzdb_version};
use domain::time::Timestamp;
use serde_json::{Value, json};
use store::Store;
use store::schedules::{DueSchedule, ScheduleFire, ScheduleRecord, ScheduleSaved, SlotAction, SlotDecision};

use super::ScheduleView;
use super::memory::{Timing, next_run_at};
use super::request::ScheduleRequest;
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How often a change is tried while others change the same schedule.
const TRIES_MAX: u32 = 5;
/// A slot that waited belongs to a schedule that is not so any more.
const CHANGED: &str = "changed";

impl Engine {
    /// Stores the next version of a schedule, as `change` makes it out of the present one. `None` leaves it as it is.
    pub(super) async fn change_schedule(
        &self,
        caller: &Caller,
        id: ScheduleId,
        change: impl Fn(ScheduleRecord) -> Option<ScheduleRecord>,
    ) -> Result<(ScheduleRecord, bool), EngineError> {
        let store = Arc::clone(self.store());
        self.change_schedule_in(&*store, caller, id, change).await
    }

    /// The same, where the next version is stored by a store of the caller's.
    pub(super) async fn change_schedule_in(
        &self,
        store: &dyn Store,
        caller: &Caller,
        id: ScheduleId,
        change: impl Fn(ScheduleRecord) -> Option<ScheduleRecord>,
    ) -> Result<(ScheduleRecord, bool), EngineError> {
        for _ in 0..TRIES_MAX {
            let found = self.known_schedule(caller, id).await?;
            let Some(changed) = change(found.record.clone()) else {
                return Ok((found.record, false));
            };
            let next = self.next_version(&found.record, changed)?;
            self.give_up_waiting(&found).await?;
            match store.replace_schedule(&caller.scope, &next).await? {
                ScheduleSaved::Saved => return Ok((next, true)),
                ScheduleSaved::NameTaken => return Err(name_taken(&next)),
                ScheduleSaved::NotFound => return Err(EngineError::not_found("schedule", &id)),
                ScheduleSaved::Stale => {}
            }
        }
        Err(changing())
    }

    fn next_version(
        &self,
        present: &ScheduleRecord,
        changed: ScheduleRecord,
    ) -> Result<ScheduleRecord, EngineError> {
        let now = self.now();
        let timings = &self.memory().schedules.timings;
        let timing = timings.of(&changed).map_err(EngineError::Invalid)?;
        let cursor = present.cursor.max(now);
        Ok(ScheduleRecord {
            version: present.version + 1,
            cursor,
            next_run_at: next_run_at(&timing, &changed, cursor),
            tzdb_version: tzdb_version(),
            updated_at: now,
            ..changed
        })
    }

    async fn give_up_waiting(&self, found: &DueSchedule) -> Result<(), EngineError> {
        let Some(waiting) = found.waiting else {
            return Ok(());
        };
        let slot = SlotDecision {
            nominal: waiting,
            reason: FireReason::Tick.as_str(),
            action: SlotAction::Skip { reason: CHANGED },
        };
        let fire = ScheduleFire {
            id: found.record.id,
            version: found.record.version,
            planned_from: None,
            slots: vec![slot],
            advance: None,
            settle_waiting: Some(waiting),
        };
        // Stale means that the change that follows will be refused too, and tried again.
        self.store().fire_schedules(&[fire], self.now()).await?;
        Ok(())
    }
}

/// Another schedule of the tenant has the name.
pub(super) fn name_taken(schedule: &ScheduleRecord) -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::ScheduleNameTaken,
        message: format!("The tenant has another schedule with the name {}.", schedule.name),
    }
}

/// Others kept changing the schedule.
pub(super) fn changing() -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::ScheduleChanging,
        message: "The schedule was changed concurrently; retry the request.".to_owned(),
    }
}

// Create a schedule. It fires from now on; slots that are past belong to nobody.

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
        let more = [(QuotaKind::Schedules, 1), (QuotaKind::DefinitionBytes, record.input.len() as u64)];
        self.refuse_over_quota(&record.tenant, &more).await?;
        let audited = AuditedAction::new("schedule.create", &record.id)
            .of(Some(record.tenant.clone()))
            .differing(&json!(null), &document(&record));
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

/// A schedule as the audit log compares it.
fn document(schedule: &ScheduleRecord) -> Value {
    let policy = &schedule.policy;
    json!({
        "name": schedule.name,
        "workflow": schedule.workflow.name,
        "cron": schedule.cron,
        "every": schedule.interval.map(|interval| interval.every),
        "anchor": schedule.interval.map(|interval| interval.anchor),
        "timezone": schedule.timezone,
        "input": schedule.input,
        "priority": schedule.tier.as_str(),
        "misfire": policy.misfire.as_str(),
        "catchUpWindow": policy.catch_up_window,
        "catchUpMax": policy.catch_up_max,
        "overlap": policy.overlap.as_str(),
        "jitter": policy.jitter,
        "startAt": policy.start_at,
        "endAt": policy.end_at,
        "paused": schedule.is_paused,
    })
}

// Put another definition into the place of a schedule.

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
        let tenant = present.tenant.clone();
        if request.tenant.as_ref().is_some_and(|asked| *asked != tenant) {
            return Err(EngineError::invalid(
                "/tenant",
                "the tenant of a schedule cannot change; create another schedule",
            ));
        }
        let (timing, workflow) = self.checked_schedule(&tenant, &request, present.created_at).await?;
        let more = request.input.len().saturating_sub(present.input.len()) as u64;
        self.refuse_over_quota(&tenant, &[(QuotaKind::DefinitionBytes, more)]).await?;
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
        let before = document(&present);
        let after = change(present).map_or_else(|| before.clone(), |next| document(&next));
        let audited =
            AuditedAction::new("schedule.edit", &id).of(Some(tenant.clone())).differing(&before, &after);
        let mut recording = self.recording(caller, audited);
        let (record, _) = recording.of(self.change_schedule(caller, id, change)).await?;
        self.recorded(recording).await;
        let now = record.updated_at;
        Ok(self.view(record, now))
    }
}

// Remove a schedule with its history. Its executions stay, and what runs goes on.

impl Engine {
    /// Removes a schedule.
    pub async fn delete_schedule(&self, caller: &Caller, id: ScheduleId) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        let found = self.known_schedule(caller, id).await?;
        let before = document(&found.record);
        let audited = AuditedAction::new("schedule.delete", &id)
            .of(Some(found.record.tenant))
            .differing(&before, &json!(null));
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().delete_schedule(&caller.scope, id)).await? {
            return Err(EngineError::not_found("schedule", &id));
        }
        self.recorded(recording).await;
        Ok(())
    }
}

// Pause and resume a schedule. Slots that pass while it is paused never fire.

impl Engine {
    /// Pauses or resumes a schedule. One that is so already is left alone.
    pub async fn pause_schedule(
        &self,
        caller: &Caller,
        id: ScheduleId,
        is_paused: bool,
    ) -> Result<ScheduleView, EngineError> {
        caller.require(Permission::Operate)?;
        let action = if is_paused { "schedule.pause" } else { "schedule.resume" };
        let tenant = self.known_schedule(caller, id).await?.record.tenant;
        let audited = AuditedAction::new(action, &id)
            .of(Some(tenant))
            .changing(json!({ "paused": !is_paused }), json!({ "paused": is_paused }));
        let mut recording = self.recording(caller, audited);
        let store = Arc::clone(self.store());
        let pausing = self.pause_schedule_in(&*store, caller, id, is_paused);
        let (record, is_changed) = recording.of(pausing).await?;
        if is_changed {
            self.recorded(recording).await;
        }
        Ok(self.view(record, self.now()))
    }

    /// The same by a store of the caller's, without a line of the audit log. Answers whether anything changed.
    pub(crate) async fn pause_schedule_in(
        &self,
        store: &dyn Store,
        caller: &Caller,
        id: ScheduleId,
        is_paused: bool,
    ) -> Result<(ScheduleRecord, bool), EngineError> {
        let change = |present: ScheduleRecord| {
            (present.is_paused != is_paused).then_some(ScheduleRecord { is_paused, ..present })
        };
        self.change_schedule_in(store, caller, id, change).await
    }
}
