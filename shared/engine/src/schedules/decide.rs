//! What becomes of the slots of one schedule: misfire and overlap rules put together. Pure: reads and writes nothing.

use std::collections::HashMap;
use std::sync::Arc;

use domain::id::ExecutionId;
use domain::schedule::{
    DueDecision, FireReason, Misfire, OverlapDecision, SchedulePolicy, SkipReason, Slot, due, jitter_of,
    overlap,
};
use domain::time::Timestamp;
use store::schedules::{DueSchedule, ScheduleRecord};

use super::memory::Timing;

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

/// Decides everything about a schedule up to `now`. `decision` is what its expression or interval says, where it is due.
pub(super) fn decide(found: &DueSchedule, decision: Option<DueDecision>, now: Timestamp) -> Plan {
    let record = &found.record;
    let mut plan = Plan::default();
    let mut load = Load { running: found.open.len() as u32, waiting: found.waiting };
    if let Some(waiting) = found.waiting.filter(|_| found.open.is_empty()) {
        plan.slots.push((waited(record, waiting), Step::Start));
        plan.settle_waiting = Some(waiting);
        load = Load { running: 1, waiting: None };
    }
    let Some(decision) = decision else {
        return plan;
    };
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

/// An expression, its time zone, up to when its slots are decided, and as of when they are to be.
type Asked<'a> = (&'a str, &'a str, Timestamp, Timestamp);

/// What expressions say in one look: schedules in a crowd tend to have the same, and to have been decided up to the same instant.
#[derive(Debug, Default)]
pub(super) struct Decisions<'a>(HashMap<Asked<'a>, (&'a SchedulePolicy, DueDecision)>);

impl<'a> Decisions<'a> {
    /// What [`due`] says of a schedule. `timing` reads it, unless another one said the same.
    pub(super) fn of<E>(
        &mut self,
        record: &'a ScheduleRecord,
        timing: impl FnOnce() -> Result<Arc<Timing>, E>,
        now: Timestamp,
    ) -> Result<DueDecision, E> {
        let (id, policy) = (record.id.uuid(), &record.policy);
        let decide = |timing: &Timing| due(timing.recurrence(), policy, id, record.cursor, now);
        if record.interval.is_some() {
            return timing().map(|timing| decide(&timing));
        }
        let key = (record.cron.as_str(), record.timezone.as_str(), record.cursor, now);
        if let Some((_, known)) = self.0.get(&key).filter(|(of, _)| *of == policy) {
            let shift = jitter_of(id, policy.jitter);
            let slots = known.slots.iter().map(|slot| Slot { run_at: slot.nominal.plus(shift), ..*slot });
            return Ok(DueDecision { slots: slots.collect(), ..known.clone() });
        }
        let timing = timing()?;
        let decision = decide(&timing);
        self.0.insert(key, (policy, decision.clone()));
        Ok(decision)
    }
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

#[cfg(test)]
mod tests {
    use domain::id::ScheduleId;
    use domain::names::{TenantName, WorkflowName};
    use domain::queue::{Tier, WorkflowRef};
    use domain::schedule::Interval;
    use domain::time::DurationMs;
    use uuid::Uuid;

    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    /// A schedule whose terms follow from its number, with few different ones of each kind.
    fn record(number: u64) -> ScheduleRecord {
        let pick = |place: u32, count: u64| (number / 7_u64.pow(place)) % 7 % count;
        let crons = ["* * * * *", "13 22 * * *", "0 0 1 1 *"];
        let misfires = [Misfire::Skip, Misfire::Latest, Misfire::All];
        let policy = SchedulePolicy {
            misfire: misfires[pick(0, 3) as usize],
            jitter: DurationMs::from_secs(90 * pick(1, 2) as i64),
            ..SchedulePolicy::default()
        };
        let every = DurationMs::from_secs(60 * (1 + pick(4, 2) as i64));
        ScheduleRecord {
            id: ScheduleId::from_uuid(Uuid::from_u128(u128::from(number))),
            tenant: TenantName::trusted("a"),
            name: number.to_string(),
            workflow: WorkflowRef { owner: None, name: WorkflowName::trusted("w") },
            cron: crons[pick(2, 3) as usize].to_owned(),
            interval: (pick(3, 4) == 0).then_some(Interval { every, anchor: Timestamp(0) }),
            timezone: ["UTC", "Europe/Berlin"][pick(3, 2) as usize].to_owned(),
            input: "{}".to_owned(),
            tier: Tier::Normal,
            policy,
            is_paused: false,
            version: 1,
            cursor: NOW.minus(DurationMs::from_secs(1 + 100 * pick(4, 3) as i64)),
            next_run_at: Some(NOW),
            tzdb_version: String::new(),
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    #[test]
    fn what_was_decided_for_another_is_what_would_be_decided() {
        let records: Vec<ScheduleRecord> = (0..7_u64.pow(5)).step_by(11).map(record).collect();
        let (mut decisions, mut read) = (Decisions::default(), 0);
        for record in &records {
            let timing = record.interval.map_or_else(
                || Timing::read(&record.cron, &record.timezone).expect("an expression"),
                Timing::Interval,
            );
            let (id, policy) = (record.id.uuid(), &record.policy);
            let expected = due(timing.recurrence(), policy, id, record.cursor, NOW);
            let decided = decisions.of(
                record,
                || {
                    read += 1;
                    Ok::<_, ()>(Arc::new(timing))
                },
                NOW,
            );
            assert_eq!(decided, Ok(expected), "{record:?}");
        }
        assert!(read < records.len(), "nothing was in common");
    }

    #[test]
    fn an_expression_that_cannot_be_read_is_asked_for_again() {
        let records = [1, 1].map(|number| ScheduleRecord { interval: None, ..record(number) });
        let mut decisions = Decisions::default();
        for record in &records {
            assert_eq!(decisions.of(record, || Err("unreadable"), NOW), Err("unreadable"));
        }
    }
}
