//! The claim: exact under its limits, strict by tier, and as cheap with a million jobs waiting as with ten.
//!
//! The ring holds in memory which lanes are not empty. A claim knows how many jobs are leased in one of two ways. Where
//! the epoch of the queue's claim row is as this node left it (`expected`), what it remembers still holds, and one
//! statement compares the epoch and takes the jobs. Otherwise, and where a limit would keep something back that a new
//! count might let through (`locked`), it locks the row and counts. In both a pure function plans, and one statement
//! takes the granted jobs of all lanes.

mod counted_starts;
mod grants;
mod jobs;
mod locked;
mod net;
mod nonempty;
mod relook;
mod ring;
mod starts;
mod take;
mod take_sqlite;

use std::collections::HashMap;
use std::time::Duration;

use domain::claim::{Counted, Filter, Plan, Planned, StartRooms, plan_counted, quantum};
use domain::rate::RateSubject;
use domain::time::Timestamp;
use store::jobs::{ClaimRequest, ClaimedJob, JOBS_PER_CLAIM_MAX};
use store::{StoreError, StoreResult};

use crate::dialect::Dialect;
use crate::memory::{CachedLimits, ClaimMemory, QueueMemory};
use crate::memory_counts::Epoch;
use crate::memory_lanes::LaneMemory;
use crate::memory_starts::ClockReading;
use crate::metric_names::{JOB_LOCK_CONFLICTS_TOTAL, JOB_POLL_LATENCY_SECONDS};
use crate::retry::RetryBudget;
use crate::store::SqlStore;
use counted_starts::{CountedStarts, SPAN_MIN, StartInstant};
use grants::Grants;
use jobs::are_current;
use locked::ROUNDS_MAX;
use starts::Firsts;
use take::{TakenByEpoch, record_taken};

pub(super) use jobs::facts;
pub(crate) use jobs::in_force;
pub(in crate::jobs) use locked::filter;
pub(crate) use nonempty::NONEMPTY;
pub(super) use nonempty::{lanes_after, look_at_nothing};
pub(super) use starts::columns as rate_columns;
pub(crate) use starts::subject as rate_subject;
pub(super) use take::claim_of_nothing;

// One call of a claim: whether it has to ask the database at all, in which way, and how often.

/// How long a claim may take; usual ones take milliseconds.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(10);

/// `JobStore::claim`.
pub(in crate::jobs) async fn claim(store: &SqlStore, request: &ClaimRequest) -> StoreResult<Vec<ClaimedJob>> {
    let jobs = claim_fresh(store, request).await?;
    if jobs.is_empty() && ring::look_again(store, request.queue).await? {
        return claim_fresh(store, request).await;
    }
    Ok(jobs)
}

async fn claim_fresh(store: &SqlStore, request: &ClaimRequest) -> StoreResult<Vec<ClaimedJob>> {
    let want = request.jobs_max.min(request.tokens.len() as u32).min(JOBS_PER_CLAIM_MAX);
    if want == 0 || !ring::freshen(store, request.queue, request.now).await? || !may_be_served(store, request)
    {
        return Ok(Vec::new());
    }
    let mut memory = store.memory().queue(request.queue).claiming().await;
    ring::forget_unused(store.memory().queue(request.queue));
    let want = memory.bounded(want);
    store.memory().queue(request.queue).lanes().ring.set_quantum(quantum(want));
    let mut tries = RetryBudget::once();
    loop {
        let track = CacheGuard::new(store, request);
        let claimed = claim_in_time(store, &mut memory, request, want).await;
        match claimed {
            Err(error) => {
                drop(track);
                if !tries.again(&error).await {
                    return Err(error);
                }
                metrics::counter!(JOB_LOCK_CONFLICTS_TOTAL, "queue" => request.queue.as_str()).increment(1);
            }
            Ok(jobs) => {
                track.commit();
                let jobs = jobs::complete(store, &mut memory, request, jobs).await?;
                record_waits(request, &jobs);
                return Ok(jobs);
            }
        }
    }
}

/// Whether any lane that is not empty passes the filter. Polls for job types of which none waits are many, and must not
/// cost those a lock that have work.
fn may_be_served(store: &SqlStore, request: &ClaimRequest) -> bool {
    let memory = store.memory().queue(request.queue).lanes();
    memory.ring.may_serve(&memory.lanes, &filter(request, None))
}

/// A claim whose answer never comes (a connection that went silent) must not keep the others waiting for the memory of
/// the queue. If it was committed all the same, its leases run out.
async fn claim_in_time(
    store: &SqlStore,
    memory: &mut ClaimMemory,
    request: &ClaimRequest,
    want: u32,
) -> StoreResult<Vec<ClaimedJob>> {
    let claimed = tokio::time::timeout(CLAIM_TIMEOUT, claim_once(store, memory, request, want)).await;
    claimed.unwrap_or_else(|elapsed| Err(StoreError::Unavailable { source: Box::new(elapsed) }))
}

async fn claim_once(
    store: &SqlStore,
    memory: &mut ClaimMemory,
    request: &ClaimRequest,
    want: u32,
) -> StoreResult<Vec<ClaimedJob>> {
    let of_queue = store.memory().queue(request.queue);
    if of_queue.lanes().is_lost() {
        of_queue.lanes().renew();
        ring::freshen(store, request.queue, request.now).await?;
    }
    let mut claimed: Vec<ClaimedJob> = Vec::new();
    // On SQLite the transaction is the lock and costs no round trip.
    let answer = match (&memory.limits, store.dialect()) {
        (Some(limits), Dialect::Postgres) => claim_expected(store, limits, request, want, &mut claimed).await,
        _ => Ok(Answer::Unsure),
    };
    let answer = match answer {
        Ok(Answer::Unsure) => locked::claim(store, memory, request, want, &mut claimed).await,
        Ok(Answer::Done) => Ok(()),
        Err(error) => Err(error),
    };
    match answer {
        Err(error) if claimed.is_empty() => return Err(error),
        // What is leased already is not kept from its worker because more could not be had.
        Err(error) => {
            lose_track(store, request);
            tracing::debug!(error = &error as &dyn std::error::Error, "a claim ended early");
        }
        Ok(()) => {}
    }
    // The ring does not know of cancelled jobs: a lane in which it wrongly believed one to wait can keep the room from
    // another job of its tier while the plan goes on to lower tiers. That job comes a round later, but is to be started
    // before them. The sort is stable: turns and places within a tier stay as they are.
    claimed.sort_by_key(|job| job.tier);
    Ok(claimed)
}

/// What this node knows of the queue while a claim is under way. A claim that fails, or that its caller gives up
/// half-way, may have recorded jobs as taken that its transaction then gave back.
pub(in crate::jobs) struct CacheGuard<'a> {
    store: &'a SqlStore,
    request: &'a ClaimRequest,
    is_kept: bool,
}

impl<'a> CacheGuard<'a> {
    /// Follows a claim that is about to begin.
    pub(in crate::jobs) fn new(store: &'a SqlStore, request: &'a ClaimRequest) -> Self {
        Self { store, request, is_kept: false }
    }

    /// Says that the claim came to its end.
    pub(in crate::jobs) fn commit(mut self) {
        self.is_kept = true;
    }
}

impl Drop for CacheGuard<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            lose_track(self.store, self.request);
        }
    }
}

/// A plan that was not carried out may have cost the ring lanes that are not empty, and a lost answer may have been a
/// claim.
fn lose_track(store: &SqlStore, request: &ClaimRequest) {
    store.memory().mark_stale(request.queue);
    store.memory().queue(request.queue).lanes().counts.forget();
}

/// How long jobs waited for their first claim.
pub(in crate::jobs) fn record_waits(request: &ClaimRequest, jobs: &[ClaimedJob]) {
    let histogram = metrics::histogram!(JOB_POLL_LATENCY_SECONDS, "queue" => request.queue.as_str());
    for job in jobs.iter().filter(|job| job.attempt == 1) {
        histogram.record(request.now.since(job.queued_at).0 as f64 / 1_000.0);
    }
}

// A claim with remembered counts: one statement that compares the epoch and takes the jobs, in its own transaction.
//
// PostgreSQL only. A lock that is taken within the claiming statement is safe in this form alone: the statement's
// snapshot is older than the lock, but where the comparison succeeds nobody has claimed since the last claim of this
// node, so that no lease can be missing from what it remembers.

/// After so many rounds that took nothing, a claim goes on under the lock.
const EMPTY_ROUNDS_MAX: u32 = 2;

/// What came of it.
enum Answer {
    /// There is nothing more to be had.
    Done,
    /// It takes the lock and a count to go on.
    Unsure,
}

/// Claims until the batch is full, as long as remembered counts are enough. `limits` are those of the last claim that
/// had the lock: they change with the epoch.
async fn claim_expected(
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
        let round = record_round(&mut memory, &plan, taken, starts);
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

/// Whether jobs wait that the claim asks for and that are not withheld from it.
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
struct RoundByEpoch {
    jobs: Vec<ClaimedJob>,
    /// Whether another plan may give more.
    is_more_to_come: bool,
    /// Rates that have no room any more, and until when.
    holds: HashMap<RateSubject, Timestamp>,
}

/// Records what was taken.
fn record_round(
    memory: &mut LaneMemory,
    plan: &Plan,
    taken: TakenByEpoch,
    starts: Option<CountedStarts>,
) -> RoundByEpoch {
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
    RoundByEpoch { jobs: round.jobs, is_more_to_come: round.is_short || plan.has_more, holds }
}

#[cfg(test)]
pub(super) mod plans;
