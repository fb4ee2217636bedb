//! Records in the ring and in the counts what a claim took.

use domain::claim::{Plan, Running};
use domain::lane::LaneId;
use store::StoreResult;
use store::jobs::ClaimedJob;

use super::jobs::Taken;
use super::starts::Firsts;
use super::take;
use crate::errors::corrupt;
use crate::memory_lanes::LaneMemory;

/// What one round of a claim brought.
pub(super) struct Round {
    /// The jobs in the order in which they are to be started.
    pub(super) jobs: Vec<ClaimedJob>,
    /// The lane of each, in no order.
    pub(super) lanes: Vec<LaneId>,
    /// Whether a grant came short, so that another plan may give more.
    pub(super) is_short: bool,
}

/// Records in the ring what was taken for a plan, and how far its lanes are empty.
///
/// `firsts` says which of the jobs were never claimed before, where that matters.
pub(super) fn record_taken(
    memory: &mut LaneMemory,
    plan: &Plan,
    taken: Vec<Taken>,
    firsts: &Firsts,
) -> Round {
    let mut lanes: Vec<LaneId> = Vec::with_capacity(taken.len());
    let mut is_short = false;
    let sorted = take::by_grant(plan, taken);
    for (grant, jobs) in plan.grants.iter().zip(&sorted) {
        let first = lanes.len();
        for taken in jobs {
            // In order of position, so that the last one of a lane counts. Where jobs before it may have been left out,
            // nothing is known of them.
            if grant.firsts.is_none() {
                memory.counts.raise_floor(taken.lane, taken.job.position);
            }
            lanes.push(taken.lane);
        }
        let firsts = jobs.iter().filter(|taken| firsts.contains(taken.job.id)).count() as u32;
        is_short |= memory.ring.record_counted(grant, &lanes[first..], firsts);
    }
    if is_short {
        // Few wait in each lane, so that long turns would come short again and again: the rest comes from more lanes.
        memory.ring.set_quantum(1);
    }
    if is_short && lanes.is_empty() {
        memory.net.hurry();
    }
    Round { jobs: plan.arrange(sorted).into_iter().map(|taken| taken.job).collect(), lanes, is_short }
}

/// Adds what was taken to counts.
pub(super) fn add(running: &mut Running, memory: &LaneMemory, lanes: &[LaneId]) -> StoreResult<()> {
    for &lane in lanes {
        running.add(&memory.lanes, lane, 1).map_err(|error| corrupt("lane", "id", error.0.0))?;
    }
    Ok(())
}
