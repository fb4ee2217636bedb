//! A claim under the lock of the queue's claim row: it reads limits that changed, and counts where what is remembered
//! is not enough.

use domain::claim::{Counted, Filter, Plan, Planned, Running, plan, plan_counted, plan_unless_limited};
use domain::queue::{LaneId, LaneKey};
use store::StoreResult;
use store::jobs::{ClaimRequest, ClaimedJob};

use super::grants::Grants;
use super::jobs;
use super::jobs::Taken;
use super::starts::{Firsts, Started, Starts};
use super::take::{self, add, record_taken};
use crate::claim_row::change;
use crate::errors::corrupt;
use crate::lanes;
use crate::memory::{CachedLimits, ClaimMemory};
use crate::memory_lanes::LaneMemory;
use crate::pool::{commit, rollback};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};
use crate::store::SqlStore;

pub(super) static LOCK: Sql = Sql::new("claim_lock", include_str!("../../../sql/claim_lock.sql"));
pub(super) static RUNNING: Sql = Sql::new("claim_running", include_str!("../../../sql/claim_running.sql"));

/// How often one plan reads counts. Each reading brings those of all whom the plan would serve; whoever has no room is
/// not read again for as long.
const READS_MAX: u32 = 64;

/// The starts of jobs that were taken, with the keys of their lanes.
fn started(memory: &LaneMemory, taken: &[Taken], firsts: &Firsts) -> StoreResult<Vec<(LaneKey, Started)>> {
    let of = |taken: &Taken| {
        let (lane, started) = (taken.lane, Started::of(taken, firsts));
        let key = memory.lanes.get(lane).cloned().ok_or_else(|| corrupt("lane", "id", lane.0))?;
        Ok((key, started))
    };
    taken.iter().map(of).collect()
}

/// A claim that has the lock.
struct Claim<'a> {
    store: &'a SqlStore,
    on: &'a DatabaseTransaction,
    request: &'a ClaimRequest,
    /// The leased jobs with those of this claim; remembered ones until a limit asks for a count.
    running: Option<Running>,
    /// Whether they were counted by this claim.
    is_counted: bool,
    /// The lane of each job that was taken.
    taken: Vec<LaneId>,
    /// Starts that are counted.
    starts: Starts,
}

/// Claims until the batch is full or nothing more may be claimed.
pub(super) async fn claim(
    store: &SqlStore,
    memory: &mut ClaimMemory,
    request: &ClaimRequest,
    want: u32,
    claimed: &mut Vec<ClaimedJob>,
) -> StoreResult<()> {
    // Before anything is planned: numbers may have changed their meaning. The next claim reads the lanes.
    store.memory().queue(request.queue).lanes().renew();
    let transaction = store.pool().begin().await?;
    let Some(row) = LOCK.first(&transaction, vec![request.queue.code().into()]).await? else {
        rollback(transaction).await;
        return Ok(());
    };
    let row = Row::new("queue_claim", &row);
    let (change, version, returns) = (change(row)?, row.long("limits_version")?, row.long("returns")?);
    let mut running =
        store.memory().queue(request.queue).lanes().counts.found(change.before, returns).cloned();
    let is_stale = store.memory().queue(request.queue).take_stale_limits();
    if is_stale || memory.limits.as_ref().is_none_or(|cached| cached.version != version) {
        // Read under the lock, but kept only once the transaction cannot be undone any more: what is read of a
        // version is the same whether this claim commits or not.
        memory.limits = Some(jobs::read(store, &transaction, request.queue, version).await?);
        // Where the former ones limited nothing, nothing was counted.
        running = None;
        store.memory().queue(request.queue).forget_held_starts();
    }
    let starts = Starts::begin(store.memory().queue(request.queue), request.now);
    let mut claim =
        Claim { store, on: &transaction, request, running, is_counted: false, taken: Vec::new(), starts };
    let jobs = claim.fill(memory, want, claimed.len()).await?;
    claim.starts.save(store, &transaction, request.queue).await?;
    let Claim { running, is_counted, taken, mut starts, .. } = claim;
    let now_at = if jobs.is_empty() {
        // Nothing was written but the epoch, which need not move for nothing.
        rollback(transaction).await;
        change.before
    } else {
        commit(transaction).await?;
        change.after
    };
    store.memory().queue(request.queue).record_held_starts(starts.take_holds());
    let mut memory = store.memory().queue(request.queue).lanes();
    let LaneMemory { lanes, counts, .. } = &mut *memory;
    match running.filter(|_| is_counted) {
        Some(running) => counts.remember(now_at, running),
        // Meanwhile leases may have ended, so what was taken is added to what is known now.
        None if now_at == change.after => counts.add_claimed(lanes, change, taken.into_iter()),
        None => {}
    }
    if let Some(memory) = counts.starts_of(now_at) {
        starts.remember_in(memory);
    }
    claimed.extend(jobs);
    Ok(())
}

impl Claim<'_> {
    /// Takes jobs until there are `want` with the `had` that the caller has.
    async fn fill(&mut self, memory: &ClaimMemory, want: u32, had: usize) -> StoreResult<Vec<ClaimedJob>> {
        let Some(limits) = &memory.limits else {
            return Ok(Vec::new());
        };
        let filter = filter(self.request, Some(limits));
        let queue = self.store.memory().queue(self.request.queue);
        let mut claimed: Vec<ClaimedJob> = Vec::new();
        for _ in 0..ROUNDS_MAX {
            let left = want - (had + claimed.len()) as u32;
            let plan = self.plan(limits, &filter, left).await?;
            if plan.grants.is_empty() {
                break;
            }
            let grants = {
                let mut memory = queue.lanes();
                memory.counts.begin_claim();
                Grants::of(&plan.grants, &memory.counts)
            };
            let tokens = &self.request.tokens[had + claimed.len()..];
            let now = self.starts.now();
            let taken = take::take_locked(self.store, self.on, self.request, &grants, tokens, now).await?;
            let mut firsts = Firsts::Unknown;
            if limits.table.has_counted() {
                if limits.table.rates.counts_first_only() && !taken.is_empty() {
                    firsts = Firsts::read(self.store, self.on, &taken).await?;
                }
                let started = started(&queue.lanes(), &taken, &firsts)?;
                self.starts.record(&limits.table.rates, &started)?;
            }
            let mut memory = queue.lanes();
            let round = record_taken(&mut memory, &plan, taken, &firsts);
            if let Some(running) = &mut self.running {
                add(running, &memory, &round.lanes)?;
            }
            drop(memory);
            self.taken.extend(round.lanes);
            claimed.extend(round.jobs);
            if (had + claimed.len()) as u32 >= want || !(round.is_short || plan.has_more) {
                break;
            }
        }
        Ok(claimed)
    }

    /// Plans with remembered counts where they are enough, and counts otherwise.
    async fn plan(
        &mut self,
        limits: &crate::memory::CachedLimits,
        filter: &domain::claim::Filter,
        left: u32,
    ) -> StoreResult<Plan> {
        if limits.table.has_counted() {
            return self.plan_counted(limits, filter, left).await;
        }
        let queue = self.store.memory().queue(self.request.queue);
        if self.running.is_none() && limits.table.limits_nothing() {
            // What is leased matters to limits alone.
            self.running = Some(Running::default());
            self.is_counted = true;
        }
        if !self.is_counted {
            if let Some(running) = &self.running {
                let mut memory = queue.lanes();
                let LaneMemory { ring, lanes, .. } = &mut *memory;
                if let Some(plan) = plan_unless_limited(ring, lanes, running, &limits.table, filter, left) {
                    return Ok(plan);
                }
            }
            self.running = Some(self.count().await?);
            self.is_counted = true;
        }
        let mut memory = queue.lanes();
        let LaneMemory { ring, lanes, .. } = &mut *memory;
        let none = Running::default();
        Ok(plan(ring, lanes, self.running.as_ref().unwrap_or(&none), &limits.table, filter, left))
    }

    /// The same where starts are counted: reads the counts that the plan asks for, and plans again.
    async fn plan_counted(
        &mut self,
        limits: &crate::memory::CachedLimits,
        filter: &domain::claim::Filter,
        left: u32,
    ) -> StoreResult<Plan> {
        if self.running.is_none() {
            self.running = Some(self.count().await?);
            self.is_counted = true;
        }
        for _ in 0..READS_MAX {
            let planned = {
                let mut memory = self.store.memory().queue(self.request.queue).lanes();
                let LaneMemory { ring, lanes, .. } = &mut *memory;
                let none = Running::default();
                let running = self.running.as_ref().unwrap_or(&none);
                let counted = Counted { running, limits: &limits.table, starts: &self.starts.rooms };
                plan_counted(ring, lanes, &counted, filter, left, !self.is_counted)
            };
            match planned {
                Planned::Plan(plan) => return Ok(plan),
                Planned::Limited => {
                    self.running = Some(self.count().await?);
                    self.is_counted = true;
                }
                Planned::Unknown(subjects) => {
                    let of = (&limits.table.rates, &subjects);
                    self.starts.load(self.store, self.on, self.request, of).await?;
                }
            }
        }
        Ok(Plan::default())
    }

    /// The leased jobs of the queue.
    async fn count(&self) -> StoreResult<Running> {
        let queue = self.request.queue;
        let rows = RUNNING.all(self.on, vec![queue.code().into()]).await?;
        let mut by_lane: Vec<(LaneId, u32)> = Vec::with_capacity(rows.len());
        for row in &rows {
            let row = Row::new("job", row);
            by_lane.push((LaneId(row.int("lane")?), row.count("running")?));
        }
        let ids: Vec<LaneId> = by_lane.iter().map(|(lane, _)| *lane).collect();
        lanes::learn(self.store, self.on, queue, &ids).await?;
        let memory = self.store.memory().queue(queue).lanes();
        Running::count(&memory.lanes, &by_lane).map_err(|error| corrupt("lane", "id", error.0.0))
    }
}

/// How often one claim plans. Each round but the last empties a lane or comes to lower tiers, so that few are needed.
pub(super) const ROUNDS_MAX: u32 = 16;

/// Which lanes the claim asks for; those that it may have where the limits are known.
pub(in crate::jobs) fn filter(request: &ClaimRequest, limits: Option<&CachedLimits>) -> Filter {
    Filter {
        tenant: request.tenant.clone(),
        job_types: request.job_types.as_ref().map(|types| types.iter().cloned().collect()),
        paused: limits.map(|limits| limits.paused.iter().cloned().collect()).unwrap_or_default(),
        withheld: limits.map(|limits| limits.pins.withheld_from(&request.build)).unwrap_or_default(),
    }
}
