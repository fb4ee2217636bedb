//! Which slots of a schedule start now, and which are given up.
//!
//! The cursor is the last slot that was decided, or the instant at which the schedule was created, edited or resumed.
//! It never goes back, so a clock that does repeats nothing; and whatever happened before it is never decided again.

use std::collections::VecDeque;

use uuid::Uuid;

use super::interval::Recurrence;
use super::policy::{CATCH_UP_LIMIT, FireReason, Misfire, SchedulePolicy, jitter_of};
use crate::time::{DurationMs, Timestamp};

/// How many dropped slots a decision lists: the newest ones.
pub const DROPPED_RECORDED_MAX: usize = 100;
/// How many slots that passed are listed from the cursor on, beside those that may be caught up. Of more, as of a schedule of each
/// minute that slept for a year, the newest are searched for from the end.
const LISTED_MAX: usize = 10_000;

/// A slot that starts an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The instant that the expression names. With the schedule's id it identifies the slot.
    pub nominal: Timestamp,
    /// When its execution may start: the nominal instant and the schedule's jitter.
    pub run_at: Timestamp,
    /// [`FireReason::Tick`] or [`FireReason::CatchUp`].
    pub reason: FireReason,
}

/// What to do about a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDecision {
    /// What starts, oldest first.
    pub slots: Vec<Slot>,
    /// What was missed and is given up, oldest first: the newest [`DROPPED_RECORDED_MAX`].
    pub dropped: Vec<Timestamp>,
    /// The new cursor: the newest slot that was decided; never before the old one.
    pub cursor: Timestamp,
    /// The nominal instant of the next slot. `None` when there is none any more.
    pub next_run_at: Option<Timestamp>,
}

/// Decides all slots after `cursor` up to `now`.
///
/// A slot at most [`LATENESS_MAX`] late always starts. Older ones follow the misfire policy: within its window, at most
/// its bound, the oldest dropped first. Whatever becomes of them, later slots are not affected. Of an interval shorter than
/// [`LATENESS_MAX`] only the newest slot is on time.
pub fn due(
    recurrence: Recurrence<'_>,
    policy: &SchedulePolicy,
    schedule_id: Uuid,
    cursor: Timestamp,
    now: Timestamp,
) -> DueDecision {
    let span = Span::of(policy, cursor, now);
    let kept_max = policy.catch_up_max.min(CATCH_UP_LIMIT) as usize;
    let passed = passed(recurrence, span, kept_max);
    let tick_from = now.minus(recurrence.lateness_max());
    let (missed, ticks) = passed.split_at(passed.partition_point(|fire| *fire < tick_from));
    let kept = match policy.misfire {
        Misfire::Skip => 0,
        Misfire::Latest => usize::from(ticks.is_empty()).min(kept_max),
        Misfire::All => kept_max,
    };
    let window_from = now.minus(policy.catch_up_window);
    let too_old = missed.partition_point(|fire| *fire < window_from);
    let dropped = &missed[..too_old.max(missed.len().saturating_sub(kept))];
    let caught_up = &missed[dropped.len()..];

    let shift = jitter_of(schedule_id, policy.jitter);
    let slot =
        |reason| move |nominal: &Timestamp| Slot { nominal: *nominal, run_at: nominal.plus(shift), reason };
    let slots =
        caught_up.iter().map(slot(FireReason::CatchUp)).chain(ticks.iter().map(slot(FireReason::Tick)));
    let new_cursor = passed.last().copied().unwrap_or(cursor).max(cursor);
    DueDecision {
        slots: slots.collect(),
        dropped: dropped[dropped.len().saturating_sub(DROPPED_RECORDED_MAX)..].to_vec(),
        cursor: new_cursor,
        next_run_at: next_run_at(recurrence, policy, new_cursor),
    }
}

/// The first slot after the cursor within the policy's bounds.
fn next_run_at(recurrence: Recurrence<'_>, policy: &SchedulePolicy, cursor: Timestamp) -> Option<Timestamp> {
    let from = policy.start_at.map_or(cursor, |start| cursor.max(Timestamp(start.0.saturating_sub(1))));
    recurrence.next_after(from).filter(|next| policy.end_at.is_none_or(|end| *next <= end))
}

/// The slots to decide lie after `from`, and up to and including `to`.
#[derive(Clone, Copy)]
struct Span {
    from: Timestamp,
    to: Timestamp,
}

impl Span {
    fn of(policy: &SchedulePolicy, cursor: Timestamp, now: Timestamp) -> Self {
        let start = policy.start_at.map_or(cursor, |start| Timestamp(start.0.saturating_sub(1)));
        let end = policy.end_at.unwrap_or(now);
        Self { from: cursor.max(start), to: now.min(end) }
    }
}

/// Lists what passed, forward from the cursor, oldest first. Only when that is too much, the newest of it are searched from
/// the end.
fn passed(recurrence: Recurrence<'_>, span: Span, kept_max: usize) -> Vec<Timestamp> {
    let list_max = kept_max + LISTED_MAX;
    let all = recurrence.between(span.from, span.to, list_max);
    if all.len() < list_max {
        return all;
    }
    // Enough for what is kept, what is on time and what is recorded.
    search_back(recurrence, span, kept_max + DROPPED_RECORDED_MAX + 2)
}

/// The newest `wanted` slots, oldest first: looks at the last hours, and twice as far back until that suffices.
fn search_back(recurrence: Recurrence<'_>, span: Span, wanted: usize) -> Vec<Timestamp> {
    let mut reach = DurationMs::from_secs(2 * 3600);
    loop {
        let from = span.to.minus(reach).max(span.from);
        let mut newest = VecDeque::with_capacity(wanted);
        for fire in recurrence.after(from).take_while(|fire| *fire <= span.to) {
            if newest.len() == wanted {
                newest.pop_front();
            }
            newest.push_back(fire);
        }
        if newest.len() == wanted || from == span.from {
            return newest.into();
        }
        reach = DurationMs(reach.0.saturating_mul(2));
    }
}
