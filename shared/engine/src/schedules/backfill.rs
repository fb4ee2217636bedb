//! Backfill: run the slots of a past span that did not run.

use std::collections::HashSet;

use domain::access::Permission;
use domain::id::ScheduleId;
use domain::queue::QueueName;
use domain::quota::QuotaKind;
use domain::schedule::{FireReason, Slot};
use domain::time::{DurationMs, Timestamp};
use store::schedules::{Fired, ScheduleRecord};
use store::wakeup::Hint;

use super::change::changing;
use super::run_now::{by_hand, decision, refused};
use super::workflows::Targets;
use crate::audit::{AuditedAction, Recording};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;
use crate::traces::Sends;

/// The most slots of one span.
const SLOTS_MAX: usize = 1_000;
/// How many slots one commit takes.
const BATCH: usize = 200;
/// How often a batch is tried while others change the schedule.
const TRIES_MAX: u32 = 5;

/// What a backfill did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backfilled {
    /// How many slots the span has.
    pub slots: usize,
    /// How many executions were started.
    pub started: usize,
    /// How many slots were left alone, because the history has them already.
    pub skipped: usize,
}

impl Engine {
    /// Runs the slots from `from` to `to`, both included, that are not recorded yet. All of them start at once; the
    /// limits of the workflow hold. A call that is cut off can be repeated.
    pub async fn backfill_schedule(
        &self,
        caller: &Caller,
        id: ScheduleId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Backfilled, EngineError> {
        caller.require(Permission::Operate)?;
        self.refuse_when_draining(QueueName::Execution).await?;
        let record = self.known_schedule(caller, id).await?.record;
        let slots = self.slots_of(&record, from, to)?;
        let mut done = Backfilled { slots: slots.len(), ..Backfilled::default() };
        let detail = serde_json::json!({ "from": from, "to": to, "slots": done.slots });
        let audited = AuditedAction::new("schedule.backfill", &id).of(Some(record.tenant.clone()));
        // Written with the first of its commits: a call that is cut off has its line.
        let mut recording = self.recording(caller, audited.with(detail));
        let mut ending = Ok(());
        for batch in slots.chunks(BATCH) {
            match self.backfill_batch(caller, id, batch, &mut recording).await {
                Ok(started) => done.started += started,
                // What was started before is on its way.
                Err(error) => {
                    ending = Err(error);
                    break;
                }
            }
        }
        done.skipped = done.slots - done.started;
        if done.started > 0 {
            metrics::enqueued_unseen(QueueName::Execution, record.tier, done.started as u64);
            self.count_started(&record, done.started as u64);
            metrics::executions_started("schedule", done.started as u64);
            self.wake(&[Hint::Enqueued(QueueName::Execution)]);
        }
        ending?;
        self.recorded(recording).await;
        Ok(done)
    }

    fn slots_of(
        &self,
        schedule: &ScheduleRecord,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<Timestamp>, EngineError> {
        if to < from {
            return Err(EngineError::invalid("/to", "expected an instant that is not before from"));
        }
        if to > self.now() {
            return Err(EngineError::invalid(
                "/to",
                "expected an instant in the past: future slots fire automatically",
            ));
        }
        let timings = &self.memory().schedules.timings;
        let timing = timings.of(schedule).map_err(EngineError::Invalid)?;
        let policy = &schedule.policy;
        let first = policy.start_at.map_or(from, |start| start.max(from));
        let last = policy.end_at.map_or(to, |end| end.min(to));
        let before = first.minus(DurationMs(1));
        let slots = timing.recurrence().between(before, last, SLOTS_MAX + 1);
        if slots.len() > SLOTS_MAX {
            let message = format!("expected a span of at most {SLOTS_MAX} slots: backfill it in parts");
            return Err(EngineError::invalid("/to", message));
        }
        Ok(slots)
    }

    async fn backfill_batch(
        &self,
        caller: &Caller,
        id: ScheduleId,
        nominals: &[Timestamp],
        recording: &mut Recording,
    ) -> Result<usize, EngineError> {
        for _ in 0..TRIES_MAX {
            let record = self.known_schedule(caller, id).await?.record;
            let recorded = self.store().recorded_slots(id, nominals).await?;
            let recorded: HashSet<Timestamp> = recorded.into_iter().collect();
            let (mut targets, now) = (Targets::default(), self.now());
            let (mut slots, mut bytes) = (Vec::with_capacity(nominals.len()), Vec::new());
            for &nominal in nominals.iter().filter(|nominal| !recorded.contains(nominal)) {
                let found = targets.find(self, &record, None).await?;
                let workflow = found.of_call().map_err(|reason| refused(&record, reason))?;
                let slot = Slot { nominal, run_at: nominal, reason: FireReason::Backfill };
                let execution = self.slot_execution(&record, &slot, workflow, now);
                bytes.push(execution.input.len());
                slots.push(decision(nominal, FireReason::Backfill, execution));
            }
            if slots.is_empty() {
                return Ok(0);
            }
            let work = bytes.into_iter().map(|bytes| (&record.tenant, bytes));
            self.refuse_work_over_quota(QuotaKind::OpenExecutions, work).await?;
            let fires = [by_hand(&record, slots)];
            let fired = recording.of(self.store().fire_schedules(&fires, now)).await?.pop();
            if let Some(Fired::Done(started)) = fired {
                Sends::of_fire(&fires[0], &started, now).durable(&[], self.now());
                return Ok(started.len());
            }
        }
        Err(changing())
    }
}
