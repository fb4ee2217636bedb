//! One call of a claim: whether it has to ask the database at all, in which way, and how often.

use std::time::Duration;

use domain::claim::{Filter, quantum};
use store::jobs::{ClaimRequest, ClaimedJob, JOBS_PER_CLAIM_MAX};
use store::{StoreError, StoreResult};

use super::expected::Answer;
use super::{expected, locked, payloads, ring};
use crate::dialect::Dialect;
use crate::memory::{CachedLimits, ClaimMemory};
use crate::metric_names::{JOB_LOCK_CONFLICTS_TOTAL, JOB_POLL_LATENCY_SECONDS};
use crate::retry::RetryBudget;
use crate::store::SqlStore;

/// How long a claim may take; usual ones take milliseconds.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(10);

/// How often one claim plans. Each round but the last empties a lane or comes to lower tiers, so that few are needed.
pub(super) const ROUNDS_MAX: u32 = 16;

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
                let jobs = payloads::complete(store, &mut memory, request, jobs).await?;
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

/// Which lanes the claim asks for; those that it may have where the limits are known.
pub(in crate::jobs) fn filter(request: &ClaimRequest, limits: Option<&CachedLimits>) -> Filter {
    Filter {
        tenant: request.tenant.clone(),
        job_types: request.job_types.as_ref().map(|types| types.iter().cloned().collect()),
        paused: limits.map(|limits| limits.paused.iter().cloned().collect()).unwrap_or_default(),
        withheld: limits.map(|limits| limits.pins.withheld_from(&request.build)).unwrap_or_default(),
    }
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
        (Some(limits), Dialect::Postgres) => {
            expected::claim(store, limits, request, want, &mut claimed).await
        }
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
