//! The execution of a slot: its id, and how it says where it comes from.

use domain::id::{ExecutionId, Id, ScheduleId};
use domain::schedule::Slot;
use domain::time::Timestamp;
use serde_json::json;
use store::executions::{NewExecution, Trigger};
use store::schedules::ScheduleRecord;

use super::announce::at_instant;
use super::workflows::Startable;
use crate::engine::Engine;
use crate::executions::ExecutionRequest;

/// The id of a slot's execution: the same whoever starts it. It sorts among other executions by the slot's instant.
pub(super) fn slot_id(schedule: ScheduleId, nominal: Timestamp) -> ExecutionId {
    let parts = [&schedule.to_string(), "slot", &nominal.0.to_string()];
    Id::derive(at_instant(nominal), &parts)
}

impl Engine {
    /// The execution of a slot, with its job, which is due when the slot's time has come.
    pub(super) fn slot_execution(
        &self,
        schedule: &ScheduleRecord,
        slot: &Slot,
        workflow: Startable<'_>,
        now: Timestamp,
    ) -> NewExecution {
        let detail = json!({
            "scheduleId": schedule.id, "scheduledFor": slot.nominal, "reason": slot.reason.as_str(),
        });
        let request = ExecutionRequest {
            tier: Some(schedule.tier),
            trigger: Trigger { kind: "schedule".to_owned(), detail: Some(detail.to_string()) },
            run_at: Some(slot.run_at.max(now)),
            ..ExecutionRequest::new(schedule.workflow.name.clone(), schedule.input.clone())
        };
        let id = slot_id(schedule.id, slot.nominal);
        let request = request.with_terms_of(workflow.definition);
        self.new_execution(id, request, schedule.tenant.clone(), workflow.version, now)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn each_slot_of_each_schedule_has_an_id_of_its_own() {
        let schedule = |number| ScheduleId::from_uuid(Uuid::from_u128(number));
        let (first, second) = (Timestamp(1_795_176_000_000), Timestamp(1_795_176_060_000));
        assert_eq!(slot_id(schedule(1), first), slot_id(schedule(1), first));
        assert_ne!(slot_id(schedule(1), first), slot_id(schedule(2), first));
        assert!(
            slot_id(schedule(2), first) < slot_id(schedule(1), second),
            "lists show the later slot first, whenever the schedules were made"
        );
    }
}
