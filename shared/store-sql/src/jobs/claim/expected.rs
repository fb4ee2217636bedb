//! A claim with remembered counts: one statement that compares the epoch and takes the jobs, in its own transaction.
//!
//! PostgreSQL only. A lock that is taken within the claiming statement is safe in this form alone: the statement's
//! snapshot is older than the lock, but where the comparison succeeds nobody has claimed since the last claim of this
//! node, so that no lease can be missing from what it remembers.

use std::collections::HashMap;

use domain::claim::{Counted, Filter, Plan, Planned, StartRooms, plan_counted};
use domain::rate::RateSubject;
use domain::time::Timestamp;
use store::StoreResult;
use store::jobs::{ClaimRequest, ClaimedJob};

use super::counted_starts::{CountedStarts, SPAN_MIN, StartInstant};
use super::entry::{ROUNDS_MAX, filter};
use super::limits::are_current;
use super::starts::Firsts;
use super::take::{self, Grants, TakenByEpoch};
use super::taken::record_taken;
use crate::memory::{CachedLimits, QueueMemory};
use crate::memory_counts::Epoch;
use crate::memory_lanes::LaneMemory;
use crate::memory_starts::ClockReading;
use crate::store::SqlStore;

/// After so many rounds that took nothing, a claim goes on under the lock.
const EMPTY_ROUNDS_MAX: u32 = 2;

/// What came of it.
pub(super) enum Answer {
    /// There is nothing more to be had.
    Done,
    /// It takes the lock and a count to go on.
    Unsure,
}

/// Claims until the batch is full, as long as remembered counts are enough. `limits` are those of the last claim that
/// had the lock: they change with the epoch.
pub(super) async fn claim(
    store: &SqlStore,
    limits: &CachedLimits,
    request: &ClaimRequest,
    want: u32,
    claimed: &mut Vec<ClaimedJob>,
) -> StoreResult<Answer> {
    let filter = filter(request, Some(limits));
    let queue = store.memory().queue(request.queue);
    let mut empty_rounds = 0;
    for _ in 0..ROUNDS_MAX {
        let left = want - claimed.len() as u32;
        let planned = plan_next(store, request, limits, &filter, left);
        let Some(Next { epoch, plan, grants, starts, full }) = planned else {
            return Ok(Answer::Unsure);
        };
        if plan.grants.is_empty() {
            queue.record_held_starts(full);
            // Somebody may have let a paused workflow go on, changed a rate, or unpinned a job type. That is looked up without
            // the lock, which those need who have work: many workers of another build ask again with each job that comes.
            let is_free = limits.paused.is_empty() && filter.withheld.is_empty();
            let is_free = is_free && !(limits.table.has_counted() && is_kept_back(queue, &filter));
            let is_sure = is_free || are_current(store, request.queue, limits).await?;
            return Ok(if is_sure { Answer::Done } else { Answer::Unsure });
        }
        let tokens = &request.tokens[claimed.len()..];
        let of = (&grants, starts.as_ref());
        let taken = take::take_expecting(store, request, of, tokens, epoch).await?;
        let mut memory = queue.lanes();
        let Some(taken) = taken else {
            if memory.counts.epoch() == Some(epoch) {
                memory.counts.was_wrong();
                return Ok(Answer::Unsure);
            }
            // This process itself changed the epoch meanwhile, and knows what it is now.
            continue;
        };
        if !is_as_expected(&mut memory, &taken, starts.as_ref()) {
            return Ok(Answer::Unsure);
        }
        empty_rounds += u32::from(taken.taken.is_empty());
        let round = finish(&mut memory, &plan, taken, starts);
        drop(memory);
        queue.record_held_starts(round.holds);
        claimed.extend(round.jobs);
        if claimed.len() as u32 >= want || !round.is_more_to_come {
            return Ok(Answer::Done);
        }
        if empty_rounds >= EMPTY_ROUNDS_MAX {
            // Many lanes are empty by now. Each round here is a commit; under the lock the rest is one transaction.
            return Ok(Answer::Unsure);
        }
    }
    Ok(Answer::Done)
}

/// What the next statement takes.
struct Next {
    epoch: Epoch,
    plan: Plan,
    grants: Grants,
    /// What it counts; `None` where nothing that it takes counts.
    starts: Option<CountedStarts>,
    /// Rates without room that keep all of it back, and until when: whoever waits comes back then.
    full: HashMap<RateSubject, Timestamp>,
}

/// Plans by what is remembered; `None` where that is not enough.
fn plan_next(
    store: &SqlStore,
    request: &ClaimRequest,
    limits: &CachedLimits,
    filter: &Filter,
    left: u32,
) -> Option<Next> {
    let queue = store.memory().queue(request.queue);
    let held = if limits.table.has_counted() { queue.held_starts(request.now) } else { Vec::new() };
    let mut memory = queue.lanes();
    let LaneMemory { ring, lanes, counts, .. } = &mut *memory;
    let (epoch, _) = counts.expected()?;
    let start = counts.starts_of(epoch).filter(|_| limits.table.has_counted()).and_then(|starts| {
        let start = StartInstant::of(store, request, starts)?;
        starts.rooms.begin(start.at(), start.tolerance_min(), held.iter().cloned());
        Some(start)
    });
    let (_, running) = counts.expected()?;
    let known = counts.starts()?;
    // What a rate keeps back may be known where what it lets through is not.
    let of_held = start.is_none().then(|| StartRooms::held(held.into_iter()));
    let rooms = of_held.as_ref().unwrap_or(&known.rooms);
    let counted = Counted { running, limits: &limits.table, starts: rooms };
    let Planned::Plan(plan) = plan_counted(ring, lanes, &counted, filter, left, true) else {
        return None;
    };
    let mut full = HashMap::new();
    if start.is_some() && plan.grants.is_empty() && ring.may_serve(lanes, filter) {
        // By the clock of the database a little room may be there already; an instant that has passed would wake nobody.
        let soon = request.now.plus(SPAN_MIN);
        full.extend(known.rooms.full(&limits.table.rates).map(|(subject, at)| (subject, at.max(soon))));
    }
    let grants = Grants::of(&plan.grants, counts);
    let starts = match start {
        Some(start) => Some(CountedStarts::of(&grants, lanes, &limits.table.rates, (known, start))?),
        None => None,
    };
    counts.begin_claim();
    Some(Next { epoch, plan, grants, starts: starts.filter(|starts| !starts.is_empty()), full })
}

/// Whether jobs wait that the claim asks for.
fn is_kept_back(queue: &QueueMemory, filter: &Filter) -> bool {
    let memory = queue.lanes();
    memory.ring.may_serve(&memory.lanes, filter)
}

/// Whether the jobs could start when the statement came to take them. Otherwise it took none, and the clock is not what it was
/// taken for.
fn is_as_expected(memory: &mut LaneMemory, taken: &TakenByEpoch, starts: Option<&CountedStarts>) -> bool {
    let is_in_time = match (starts, taken.clock) {
        (Some(starts), Some(clock)) => starts.covers(clock),
        _ => true,
    };
    if is_in_time {
        return true;
    }
    let LaneMemory { lanes, counts, .. } = memory;
    counts.add_claimed(lanes, taken.change, std::iter::empty());
    if let Some(starts) = counts.starts_of(taken.change.after) {
        starts.forget_clock();
    }
    false
}

/// What one statement brought.
struct Finished {
    jobs: Vec<ClaimedJob>,
    /// Whether another plan may give more.
    is_more_to_come: bool,
    /// Rates that have no room any more, and until when.
    holds: HashMap<RateSubject, Timestamp>,
}

/// Records what was taken.
fn finish(
    memory: &mut LaneMemory,
    plan: &Plan,
    taken: TakenByEpoch,
    starts: Option<CountedStarts>,
) -> Finished {
    let TakenByEpoch { change, taken, clock } = taken;
    let round = record_taken(memory, plan, taken, &Firsts::Unknown);
    let LaneMemory { lanes, counts, .. } = memory;
    counts.was_right();
    counts.add_claimed(lanes, change, round.lanes.iter().copied());
    let mut holds = HashMap::new();
    if let Some(known) = counts.starts_of(change.after) {
        if let Some(clock) = clock {
            known.see(ClockReading::new(clock));
        }
        if let Some(starts) = starts {
            holds = starts.record(&round.lanes, known);
        }
    }
    Finished { jobs: round.jobs, is_more_to_come: round.is_short || plan.has_more, holds }
}
