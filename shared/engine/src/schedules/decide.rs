//! What becomes of the slots of one schedule: misfire and overlap rules put together. Pure: reads and writes nothing.

use domain::id::ExecutionId;
use domain::schedule::{FireReason, Misfire, OverlapDecision, SkipReason, Slot, due_by, jitter_of, overlap};
use domain::time::Timestamp;
use store::schedules::{DueSchedule, ScheduleRecord};

use super::timing::Timing;

/// There were more missed slots than may be made up for.
const CATCH_UP_CAP: &str = "catchup_cap";

/// What becomes of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Start,
    Wait,
    Skip(&'static str),
}

/// What is to be done about a schedule.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Its slots, oldest first.
    pub(super) slots: Vec<(Slot, Step)>,
    /// Executions that make room for one of the slots.
    pub(super) cancel: Vec<ExecutionId>,
    /// The new cursor and the next slot.
    pub(super) advance: Option<(Timestamp, Option<Timestamp>)>,
    /// The slot that waited and does so no longer.
    pub(super) settle_waiting: Option<Timestamp>,
}

/// Decides everything about a schedule up to `now`.
pub(super) fn decide(found: &DueSchedule, timing: &Timing, now: Timestamp) -> Plan {
    let record = &found.record;
    let mut plan = Plan::default();
    let mut load = Load { running: found.open.len() as u32, waiting: found.waiting };
    if let Some(waiting) = found.waiting.filter(|_| found.open.is_empty()) {
        plan.slots.push((waited(record, waiting), Step::Start));
        plan.settle_waiting = Some(waiting);
        load = Load { running: 1, waiting: None };
    }
    if record.next_run_at.is_none_or(|next| next > now) {
        return plan;
    }
    let decision = due_by(timing.recurrence(), &record.policy, record.id.uuid(), record.cursor, now);
    for nominal in &decision.dropped {
        let slot = Slot { nominal: *nominal, run_at: *nominal, reason: FireReason::CatchUp };
        plan.slots.push((slot, Step::Skip(drop_reason(record, *nominal, now))));
    }
    for slot in decision.slots {
        plan.admit(slot, found, &mut load);
    }
    plan.slots.sort_by_key(|(slot, _)| slot.nominal);
    // Without any slot in between, the present instant is the place up to which the schedule is decided.
    let is_empty = decision.cursor == record.cursor;
    let cursor = if is_empty { now.max(record.cursor) } else { decision.cursor };
    plan.advance = Some((cursor, decision.next_run_at));
    plan
}

/// What holds back the next slot.
struct Load {
    running: u32,
    waiting: Option<Timestamp>,
}

impl Plan {
    /// The last slot of a schedule that fires no more.
    pub(super) fn end(nominal: Timestamp, reason: &'static str, now: Timestamp) -> Self {
        let slot = Slot { nominal, run_at: nominal, reason: FireReason::Tick };
        Self { slots: vec![(slot, Step::Skip(reason))], advance: Some((now, None)), ..Self::default() }
    }

    fn admit(&mut self, slot: Slot, found: &DueSchedule, load: &mut Load) {
        let policy = found.record.policy.overlap;
        let step = match overlap(policy, load.running, u32::from(load.waiting.is_some())) {
            OverlapDecision::Start => Step::Start,
            OverlapDecision::SkipIt => Step::Skip(SkipReason::Overlap.as_str()),
            OverlapDecision::QueueBehind => Step::Wait,
            OverlapDecision::CancelRunningAndStart => {
                self.make_room(found, load);
                Step::Start
            }
        };
        match step {
            Step::Start => load.running += 1,
            Step::Wait => load.waiting = Some(slot.nominal),
            Step::Skip(_) => {}
        }
        self.slots.push((slot, step));
    }

    /// Cancels what is open. What would be started and cancelled in the same breath is not started at all.
    fn make_room(&mut self, found: &DueSchedule, load: &mut Load) {
        for (_, step) in &mut self.slots {
            if matches!(step, Step::Start | Step::Wait) {
                *step = Step::Skip(SkipReason::Overlap.as_str());
            }
        }
        // A slot that waits and is not among these is given up by being settled.
        self.settle_waiting = self.settle_waiting.or(found.waiting);
        self.cancel.clone_from(&found.open);
        *load = Load { running: 0, waiting: None };
    }
}

/// The slot that waited for others to end.
fn waited(record: &ScheduleRecord, nominal: Timestamp) -> Slot {
    Slot {
        nominal,
        run_at: nominal.plus(jitter_of(record.id.uuid(), record.policy.jitter)),
        reason: FireReason::Tick,
    }
}

fn drop_reason(record: &ScheduleRecord, nominal: Timestamp, now: Timestamp) -> &'static str {
    let policy = &record.policy;
    let is_within = nominal >= now.minus(policy.catch_up_window);
    if policy.misfire == Misfire::All && is_within { CATCH_UP_CAP } else { SkipReason::Misfire.as_str() }
}
