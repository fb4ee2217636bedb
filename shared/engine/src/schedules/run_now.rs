//! Start an execution of a schedule by hand: now, whatever runs, and also while the schedule is paused.

use domain::access::Permission;
use domain::id::{ExecutionId, Id, ScheduleId, first_at};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use domain::quota::QuotaKind;
use domain::schedule::{FireReason, Slot};
use domain::time::{DurationMs, Timestamp};
use serde_json::json;
use store::executions::{NewExecution, Trigger};
use store::schedules::{Fired, ScheduleFire, ScheduleRecord, SlotAction, SlotDecision};
use store::wakeup::Hint;

use super::change::changing;
use super::workflows::{Startable, Targets, WORKFLOW_MISSING, WORKFLOW_PAUSED};
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::ExecutionRequest;
use crate::metrics;
use crate::traces::Sends;

/// How often a run is tried while others change the schedule, or start it in the same millisecond.
const TRIES_MAX: u32 = 10;
/// Slots lie on whole minutes.
const MINUTE_MS: i64 = 60_000;

/// An execution that was started by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualRun {
    /// The execution.
    pub execution_id: ExecutionId,
    /// The instant under which it stands in the history.
    pub scheduled_for: Timestamp,
}

impl Engine {
    /// Counts executions that a schedule has started outside its slots.
    pub(super) fn count_started(&self, record: &ScheduleRecord, count: u64) {
        let of = (QueueName::Execution, record.tier);
        let (tenant, workflow) = (Some(&record.tenant), Some(&record.workflow.name));
        self.memory().stats.enqueued_of(of, tenant, workflow, count, self.now());
    }

    /// Starts an execution of a schedule now.
    pub async fn run_schedule(&self, caller: &Caller, id: ScheduleId) -> Result<ManualRun, EngineError> {
        caller.require(Permission::Operate)?;
        self.refuse_when_draining(QueueName::Execution).await?;
        let asked_at = self.now();
        let execution_id = self.make_id(caller, &["schedule-run"], asked_at);
        let mut nominal = beside_slots(asked_at);
        for _ in 0..TRIES_MAX {
            let record = self.known_schedule(caller, id).await?.record;
            if let Some(run) = self.started_before(caller, execution_id).await? {
                return Ok(run);
            }
            let mut execution = self.execution_by_hand(&record, nominal, FireReason::Manual).await?;
            let work = std::iter::once((&record.tenant, execution.input.len()));
            self.refuse_work_over_quota(QuotaKind::OpenExecutions, work).await?;
            execution.id = execution_id;
            execution.job.execution_id = Some(execution_id);
            execution.job.id = crate::executions::job_id(execution_id);
            let fires = [by_hand(&record, vec![decision(nominal, FireReason::Manual, execution)])];
            let audited = AuditedAction::new("schedule.run", &id).of(Some(record.tenant.clone()));
            let (now, mut recording) = (self.now(), self.recording(caller, audited));
            match recording.of(self.store().fire_schedules(&fires, now)).await?.pop() {
                Some(Fired::Done(started)) if !started.is_empty() => {
                    Sends::of_fire(&fires[0], &started, now).durable(&[], self.now());
                    metrics::enqueued_unseen(QueueName::Execution, record.tier, 1);
                    self.count_started(&record, 1);
                    metrics::executions_started("schedule", 1);
                    self.wake(&[Hint::Enqueued(QueueName::Execution)]);
                    self.recorded(recording).await;
                    return Ok(ManualRun { execution_id, scheduled_for: nominal });
                }
                // Somebody else's run stands under this instant.
                Some(Fired::Done(_)) => nominal = beside_slots(nominal.plus(DurationMs(1))),
                Some(Fired::Stale) | None => {}
            }
        }
        Err(changing())
    }

    /// What a repeated request started the first time. Only ids that are derived from a request can be there.
    async fn started_before(
        &self,
        caller: &Caller,
        id: ExecutionId,
    ) -> Result<Option<ManualRun>, EngineError> {
        if caller.seed.is_none() {
            return Ok(None);
        }
        let found = self.store().execution(&caller.scope, id).await?;
        Ok(found.map(|record| ManualRun {
            execution_id: id,
            scheduled_for: scheduled_for(record.trigger.detail.as_deref()).unwrap_or(record.created_at),
        }))
    }

    /// The execution of a slot that a person asks for. Fails if the workflow is gone or does not take the input.
    pub(super) async fn execution_by_hand(
        &self,
        schedule: &ScheduleRecord,
        nominal: Timestamp,
        reason: FireReason,
    ) -> Result<NewExecution, EngineError> {
        let mut targets = Targets::default();
        let found = targets.find(self, schedule, None).await?;
        let workflow = found.of_call().map_err(|reason| refused(schedule, reason))?;
        let slot = Slot { nominal, run_at: nominal, reason };
        Ok(self.slot_execution(schedule, &slot, workflow, self.now()))
    }
}

/// A fire that moves no cursor.
pub(super) fn by_hand(schedule: &ScheduleRecord, slots: Vec<SlotDecision>) -> ScheduleFire {
    ScheduleFire {
        id: schedule.id,
        version: schedule.version,
        planned_from: None,
        slots,
        advance: None,
        settle_waiting: None,
    }
}

/// A slot that starts an execution.
pub(super) fn decision(nominal: Timestamp, reason: FireReason, execution: NewExecution) -> SlotDecision {
    SlotDecision { nominal, reason: reason.as_str(), action: SlotAction::Start(Box::new(execution)) }
}

/// Why the workflow cannot be started, as an answer to a person.
pub(super) fn refused(schedule: &ScheduleRecord, reason: &'static str) -> EngineError {
    let name = &schedule.workflow.name;
    let (code, message) = match reason {
        WORKFLOW_MISSING => (ProblemCode::WorkflowMissing, format!("The workflow {name} no longer exists.")),
        WORKFLOW_PAUSED => (
            ProblemCode::WorkflowPaused,
            format!("The workflow {name} is paused and rejects new executions."),
        ),
        _ => (
            ProblemCode::InputInvalid,
            format!(
                "The latest version of the workflow {name} rejects the schedule's input: edit the schedule."
            ),
        ),
    };
    EngineError::Conflict { code, message }
}

/// An instant that is no slot's, so that a run by hand never takes the place of a slot in the history.
const fn beside_slots(instant: Timestamp) -> Timestamp {
    if instant.0.rem_euclid(MINUTE_MS) == 0 { Timestamp(instant.0 + 1) } else { instant }
}

fn scheduled_for(detail: Option<&str>) -> Option<Timestamp> {
    let detail: serde_json::Value = serde_json::from_str(detail?).ok()?;
    Timestamp::parse(detail["scheduledFor"].as_str()?)
}

// The execution of a slot: its id, and how it says where it comes from.

/// The id of a slot's execution: the same whoever starts it. It sorts among other executions by the slot's instant.
pub(super) fn slot_id(schedule: ScheduleId, nominal: Timestamp) -> ExecutionId {
    let parts = [&schedule.to_string(), "slot", &nominal.0.to_string()];
    Id::derive(first_at(nominal), &parts)
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
    fn runs_by_hand_keep_off_the_slots() {
        assert_eq!(beside_slots(Timestamp(120_000)), Timestamp(120_001));
        assert_eq!(beside_slots(Timestamp(120_500)), Timestamp(120_500));
    }

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
