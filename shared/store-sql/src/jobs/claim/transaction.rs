//! One claim from lock to commit.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::claim::{Filter, Plan, Running, plan};
use domain::lane::LaneId;
use sea_orm::DatabaseTransaction;
use store::jobs::{ClaimRequest, ClaimedJob};
use store::{StoreError, StoreResult};

use super::jobs::{self, Taken};
use super::{limits, ring, take};
use crate::errors::corrupt;
use crate::lanes;
use crate::memory::ClaimMemory;
use crate::metric_names::{JOB_LOCK_CONFLICTS_TOTAL, JOB_POLL_LATENCY_SECONDS};
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;
use crate::tries::Tries;

pub(super) static LOCK: Sql = Sql::new("claim_lock", include_str!("../../../sql/claim_lock.sql"));
pub(super) static RUNNING: Sql = Sql::new("claim_running", include_str!("../../../sql/claim_running.sql"));

/// The most jobs of one claim.
const JOBS_MAX: u32 = 1_000;

/// How long a claim may take; usual ones take milliseconds.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(10);

/// How often one claim plans. Each round but the last empties a lane or comes to lower tiers, so that few are needed.
const ROUNDS_MAX: u32 = 16;

/// `JobStore::claim`.
pub(in crate::jobs) async fn claim(store: &SqlStore, request: &ClaimRequest) -> StoreResult<Vec<ClaimedJob>> {
    let want = request.jobs_max.min(request.tokens.len() as u32).min(JOBS_MAX);
    if want == 0 {
        return Ok(Vec::new());
    }
    if !ring::freshen(store, request.queue).await? {
        return Ok(Vec::new());
    }
    let mut memory = store.memory().queue(request.queue).claiming().await;
    let mut tries = Tries::once();
    loop {
        let claimed = claim_in_time(store, &mut memory, request, want).await;
        match claimed {
            Err(error) => {
                // The plan was not carried out, so the ring may have lost lanes that are not empty.
                store.memory().mark_stale(request.queue);
                if !tries.again(&error).await {
                    return Err(error);
                }
                metrics::counter!(JOB_LOCK_CONFLICTS_TOTAL, "queue" => request.queue.as_str()).increment(1);
            }
            Ok(jobs) => {
                note_waits(request, &jobs);
                return Ok(jobs);
            }
        }
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
    let transaction = store.pool().begin().await?;
    let claimed = claim_in(store, &transaction, memory, request, want).await?;
    if claimed.is_empty() {
        // Nothing was written but the epoch, which need not move for nothing.
        rollback(transaction).await;
    } else {
        commit(transaction).await?;
    }
    Ok(claimed)
}

async fn claim_in(
    store: &SqlStore,
    transaction: &DatabaseTransaction,
    memory: &mut ClaimMemory,
    request: &ClaimRequest,
    want: u32,
) -> StoreResult<Vec<ClaimedJob>> {
    let Some(row) = LOCK.first(transaction, vec![request.queue.code().into()]).await? else {
        return Ok(Vec::new());
    };
    let version = Row::new("queue_claim", &row).long("limits_version")?;
    if memory.limits.as_ref().is_none_or(|cached| cached.version != version) {
        // Read under the lock, but kept only once the transaction cannot be undone any more: what is read of a
        // version is the same whether this claim commits or not.
        memory.limits = Some(limits::read(store, transaction, request.queue, version).await?);
    }
    let Some(limits) = &memory.limits else {
        return Ok(Vec::new());
    };
    let filter = Filter {
        tenant: request.tenant.clone(),
        job_types: request.job_types.as_ref().map(|types| types.iter().cloned().collect()),
        paused: limits.paused.iter().cloned().collect::<BTreeSet<_>>(),
    };
    let mut running = count(store, transaction, request).await?;
    let mut claimed: Vec<ClaimedJob> = Vec::new();
    for _ in 0..ROUNDS_MAX {
        let left = want - claimed.len() as u32;
        let plan = {
            let mut memory = store.memory().queue(request.queue).lanes();
            let memory = &mut *memory;
            plan(&mut memory.ring, &memory.lanes, &running, &limits.table, &filter, left)
        };
        if plan.grants.is_empty() {
            break;
        }
        let tokens = &request.tokens[claimed.len()..];
        let rows = take::take(transaction, request, &plan.grants, tokens).await?;
        let (jobs, has_short) = {
            let memory = store.memory().queue(request.queue).lanes();
            let taken = jobs::read(&rows, &memory)?;
            drop(memory);
            note(store, request, &plan, taken, &mut running)?
        };
        claimed.extend(jobs);
        if claimed.len() as u32 >= want || !(has_short || plan.has_more) {
            break;
        }
    }
    // The ring does not know of cancelled jobs: a lane in which it wrongly believed one to wait can keep the room from
    // another job of its tier while the plan goes on to lower tiers. That job comes a round later, but is to be started
    // before them. The sort is stable: turns and places within a tier stay as they are.
    claimed.sort_by_key(|job| job.tier);
    Ok(claimed)
}

/// The leased jobs of the queue.
async fn count(
    store: &SqlStore,
    transaction: &DatabaseTransaction,
    request: &ClaimRequest,
) -> StoreResult<Running> {
    let rows = RUNNING.all(transaction, vec![request.queue.code().into()]).await?;
    let mut by_lane: Vec<(LaneId, u32)> = Vec::with_capacity(rows.len());
    for row in &rows {
        let row = Row::new("job", row);
        by_lane.push((LaneId(row.int("lane")?), row.count("running")?));
    }
    let ids: Vec<LaneId> = by_lane.iter().map(|(lane, _)| *lane).collect();
    lanes::learn(store, transaction, request.queue, &ids).await?;
    let memory = store.memory().queue(request.queue).lanes();
    Running::count(&memory.lanes, &by_lane).map_err(|error| corrupt("lane", "id", error.0.0))
}

/// Tells ring and counts what was taken; answers the jobs in their order and whether a grant came short.
fn note(
    store: &SqlStore,
    request: &ClaimRequest,
    plan: &Plan,
    taken: Vec<Taken>,
    running: &mut Running,
) -> StoreResult<(Vec<ClaimedJob>, bool)> {
    let mut memory = store.memory().queue(request.queue).lanes();
    let memory = &mut *memory;
    let sorted = take::by_grant(plan, taken);
    let mut has_short = false;
    for (grant, jobs) in plan.grants.iter().zip(&sorted) {
        let from: Vec<LaneId> = jobs.iter().map(|taken| taken.lane).collect();
        has_short |= memory.ring.note_claimed(grant, &from);
        for lane in from {
            running.add(&memory.lanes, lane, 1).map_err(|error| corrupt("lane", "id", error.0.0))?;
        }
    }
    Ok((plan.arrange(sorted).into_iter().map(|taken| taken.job).collect(), has_short))
}

/// How long jobs waited for their first claim.
fn note_waits(request: &ClaimRequest, jobs: &[ClaimedJob]) {
    let histogram = metrics::histogram!(JOB_POLL_LATENCY_SECONDS, "queue" => request.queue.as_str());
    for job in jobs.iter().filter(|job| job.attempt == 1) {
        histogram.record(request.now.since(job.queued_at).0 as f64 / 1_000.0);
    }
}
