//! A claim with remembered counts: one statement that compares the epoch and takes the jobs, in its own transaction.
//!
//! PostgreSQL only. A lock that is taken within the claiming statement is safe in this form alone: the statement's
//! snapshot is older than the lock, but where the comparison succeeds nobody has claimed since the last claim of this
//! node, so that no lease can be missing from what it remembers.

use domain::claim::{Counted, Plan, Planned, StartRooms, plan_counted};
use store::StoreResult;
use store::jobs::{ClaimRequest, ClaimedJob};

use super::entry::{ROUNDS_MAX, filter};
use super::jobs;
use super::limits::are_current;
use super::starts::Firsts;
use super::take::{self, Grants};
use super::taken::record_taken;
use crate::memory::CachedLimits;
use crate::memory_counts::Change;
use crate::memory_lanes::LaneMemory;
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
    let held = if limits.table.has_counted() { queue.held_starts(request.now) } else { Vec::new() };
    // What a rate keeps back is known or not; what it lets through takes the lock, to be counted.
    let is_held = !held.is_empty();
    let starts = StartRooms::held(held.into_iter());
    let mut empty_rounds = 0;
    for _ in 0..ROUNDS_MAX {
        let (epoch, plan, grants) = {
            let mut memory = queue.lanes();
            let LaneMemory { ring, lanes, counts, .. } = &mut *memory;
            let Some((epoch, running)) = counts.expected() else {
                return Ok(Answer::Unsure);
            };
            let left = want - claimed.len() as u32;
            let counted = Counted { running, limits: &limits.table, starts: &starts };
            let Planned::Plan(plan) = plan_counted(ring, lanes, &counted, &filter, left, true) else {
                return Ok(Answer::Unsure);
            };
            counts.begin_claim();
            let grants = Grants::of(&plan.grants, counts);
            (epoch, plan, grants)
        };
        if plan.grants.is_empty() {
            // Somebody may have let a paused workflow go on, changed a rate, or unpinned a job type. That is looked up without
            // the lock, which those need who have work: many workers of another build ask again with each job that comes.
            let is_free = limits.paused.is_empty() && filter.withheld.is_empty() && !is_held;
            let is_sure = is_free || are_current(store, request.queue, limits).await?;
            return Ok(if is_sure { Answer::Done } else { Answer::Unsure });
        }
        let tokens = &request.tokens[claimed.len()..];
        let taken = take::take_expecting(store, request, &grants, tokens, epoch).await?;
        let mut memory = queue.lanes();
        let Some((change, taken)) = taken else {
            if memory.counts.epoch() == Some(epoch) {
                memory.counts.was_wrong();
                return Ok(Answer::Unsure);
            }
            // This process itself changed the epoch meanwhile, and knows what it is now.
            continue;
        };
        empty_rounds += u32::from(taken.is_empty());
        let is_more_to_come = finish(&mut memory, &plan, change, taken, claimed);
        if claimed.len() as u32 >= want || !is_more_to_come {
            return Ok(Answer::Done);
        }
        if empty_rounds >= EMPTY_ROUNDS_MAX {
            // Many lanes are empty by now. Each round here is a commit; under the lock the rest is one transaction.
            return Ok(Answer::Unsure);
        }
    }
    Ok(Answer::Done)
}

/// Records what was taken; answers whether another plan may give more.
fn finish(
    memory: &mut LaneMemory,
    plan: &Plan,
    change: Change,
    taken: Vec<jobs::Taken>,
    claimed: &mut Vec<ClaimedJob>,
) -> bool {
    let round = record_taken(memory, plan, taken, &Firsts::Unknown);
    let LaneMemory { lanes, counts, .. } = memory;
    counts.was_right();
    counts.add_claimed(lanes, change, round.lanes.into_iter());
    claimed.extend(round.jobs);
    round.is_short || plan.has_more
}
