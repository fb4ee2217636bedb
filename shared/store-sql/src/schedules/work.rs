//! What a batch of fires comes to, once their schedules are locked: rows to write and executions to start.
//!
//! Nothing is decided here about schedules; that came with the fires. This only drops what is stale or recorded, and
//! sees to it that a cursor never goes back and that at most one slot of a schedule waits.

use std::collections::{HashMap, HashSet};

use domain::schedule::{FireReason, SkipReason};
use domain::time::Timestamp;
use store::executions::NewExecution;
use store::schedules::{ScheduleFire, SlotAction, SlotDecision};
use uuid::Uuid;

const FIRED: &str = "fired";
const WAITING: &str = "waiting";
const SKIPPED: &str = "skipped";

/// The key of a slot: its schedule and its nominal instant.
pub(super) type SlotKey = (Uuid, i64);

/// A locked schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Locked {
    /// Its version.
    pub(super) version: i64,
    /// Whether it is paused.
    pub(super) is_paused: bool,
    /// The last nominal instant that was decided.
    pub(super) cursor: Timestamp,
    /// The next one.
    pub(super) next_run_at: Option<Timestamp>,
    /// The slot that waits for what runs.
    pub(super) waiting: Option<Timestamp>,
}

impl Locked {
    /// Moves the cursor, never back. With the same one the next instant is written all the same: there may be nothing
    /// to decide where something was due (an edit that read the schedule before the cursor passed, other time zone
    /// data), and such a schedule must not stay due.
    fn advance(&mut self, cursor: Timestamp, next_run_at: Option<Timestamp>) {
        if !self.is_paused && self.cursor <= cursor {
            (self.cursor, self.next_run_at) = (cursor, next_run_at);
        }
    }
}

/// A row of `schedule_run` to insert, or the new content of a waiting one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SlotRow<'a> {
    /// Which slot.
    pub(super) key: SlotKey,
    /// Why it was decided.
    pub(super) reason: &'a str,
    /// `fired`, `waiting` or `skipped`.
    pub(super) status: &'static str,
    /// Why it was skipped.
    pub(super) skip_reason: Option<&'static str>,
    /// What it starts, and for which of the fires.
    pub(super) start: Option<(usize, &'a NewExecution)>,
}

/// Everything that a batch writes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Work<'a> {
    /// Waiting slots that are settled.
    pub(super) settled: Vec<SlotRow<'a>>,
    /// New slots, each once.
    pub(super) new: Vec<SlotRow<'a>>,
    /// Schedules that are not what they were, each once.
    pub(super) moved: Vec<(Uuid, Locked)>,
}

/// Whether a fire may be committed: its schedule is there, was not edited since, its cursor is where the fire was decided
/// from, and it is not paused, unless a person asks for the run.
pub(super) fn is_current(fire: &ScheduleFire, schedule: Option<&Locked>) -> bool {
    let by_hand = [FireReason::Manual.as_str(), FireReason::Backfill.as_str()];
    let is_by_hand = !fire.slots.is_empty() && fire.slots.iter().all(|slot| by_hand.contains(&slot.reason));
    schedule.is_some_and(|locked| {
        locked.version == fire.version
            && fire.planned_from.is_none_or(|cursor| cursor == locked.cursor)
            && (!locked.is_paused || is_by_hand)
    })
}

/// The slots that would wait. Whether they are recorded has to be known before [`gather`]; for all others it is found
/// out when they are written.
pub(super) fn slots_to_know(fires: &[(usize, &ScheduleFire)]) -> Vec<SlotKey> {
    let slots = fires.iter().flat_map(|(_, fire)| fire.slots.iter().map(|slot| (fire.id, slot)));
    slots
        .filter(|(_, slot)| slot.action == SlotAction::Wait)
        .map(|(id, slot)| (id.uuid(), slot.nominal.0))
        .collect()
}

/// What these fires write, each with its place in the batch. `known` are the recorded ones of [`slots_to_know`].
pub(super) fn gather<'a>(
    fires: &[(usize, &'a ScheduleFire)],
    locked: &HashMap<Uuid, Locked>,
    mut known: HashSet<SlotKey>,
) -> Work<'a> {
    let mut work = Work::default();
    let mut schedules: HashMap<Uuid, Locked> = HashMap::with_capacity(fires.len());
    for &(place, fire) in fires {
        let id = fire.id.uuid();
        let Some(before) = locked.get(&id) else {
            continue;
        };
        let schedule = schedules.entry(id).or_insert(*before);
        if let Some(row) = settle(fire, place, schedule) {
            known.insert(row.key);
            work.settled.push(row);
        }
        for slot in &fire.slots {
            if known.insert((id, slot.nominal.0)) {
                work.new.push(place_in_line(row(id, slot, place), schedule));
            }
        }
        if let Some((cursor, next_run_at)) = fire.advance {
            schedule.advance(cursor, next_run_at);
        }
    }
    let moved = schedules.into_iter();
    work.moved = moved.filter(|(id, after)| locked.get(id) != Some(after)).collect();
    work
}

/// The new content of the slot that waits, if it is the one that the fire settles.
fn settle<'a>(fire: &'a ScheduleFire, place: usize, schedule: &mut Locked) -> Option<SlotRow<'a>> {
    let nominal = fire.settle_waiting?;
    if schedule.waiting != Some(nominal) {
        return None;
    }
    let id = fire.id.uuid();
    let slot = fire.slots.iter().find(|slot| slot.nominal == nominal);
    let given_up = SlotRow {
        key: (id, nominal.0),
        reason: "",
        status: SKIPPED,
        skip_reason: Some(SkipReason::Overlap.as_str()),
        start: None,
    };
    let row = slot.map_or(given_up, |slot| row(id, slot, place));
    if row.status == WAITING {
        return None;
    }
    schedule.waiting = None;
    Some(row)
}

/// A slot that is to wait is the one that waits, or is skipped because of it.
fn place_in_line<'a>(mut row: SlotRow<'a>, schedule: &mut Locked) -> SlotRow<'a> {
    if row.status == WAITING && schedule.waiting.is_some() {
        (row.status, row.skip_reason) = (SKIPPED, Some(SkipReason::Overlap.as_str()));
    } else if row.status == WAITING {
        schedule.waiting = Some(Timestamp(row.key.1));
    }
    row
}

fn row(schedule_id: Uuid, slot: &SlotDecision, place: usize) -> SlotRow<'_> {
    let (status, skip_reason, start) = match &slot.action {
        SlotAction::Start(execution) => (FIRED, None, Some((place, execution.as_ref()))),
        SlotAction::Wait => (WAITING, None, None),
        SlotAction::Skip { reason } => (SKIPPED, Some(*reason), None),
    };
    SlotRow { key: (schedule_id, slot.nominal.0), reason: slot.reason, status, skip_reason, start }
}
