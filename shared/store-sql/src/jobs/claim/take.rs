//! Taking the granted jobs.

use std::collections::HashMap;

use domain::build::WorkerBuild;
use domain::claim::{Plan, Running};
use domain::id::LeaseToken;
use domain::names::WorkerId;
use domain::queue::{LaneId, QueueName};
use domain::time::{DurationMs, Timestamp};
use sea_orm::Value;
use store::StoreResult;
use store::jobs::{ClaimRequest, ClaimedJob};

use super::counted_starts::CountedStarts;
use super::grants::{GrantRow, Grants, Part};
use super::jobs::{self, CLAIM_PLACE, TAKEN, Taken};
use super::starts::Firsts;
use super::take_sqlite;
use crate::bind::{List, Parameters};
use crate::claim_row::{expected_mark, left};
use crate::columns;
use crate::columns::{Arguments, Columns};
use crate::dialect::Dialect;
use crate::errors::corrupt;
use crate::memory_counts::{Change, Epoch};
use crate::memory_lanes::LaneMemory;
use crate::sql::{DatabaseTransaction, Sql};
use crate::store::SqlStore;

const BY_LOCK: &str = include_str!("../../../sql/claim_locked_postgres.sql");
const BY_EPOCH: &str = include_str!("../../../sql/claim_expected_postgres.sql");
const PICK: &str = include_str!("../../../sql/claim_pick_postgres.sql");
const PICK_MERGED: &str = include_str!("../../../sql/claim_pick_merged_postgres.sql");
const PICK_COUNTED: &str = include_str!("../../../sql/claim_pick_counted_postgres.sql");
const TAKE: &str = include_str!("../../../sql/claim_take_postgres.sql");
const TAKE_STARTS: &str = include_str!("../../../sql/claim_take_starts_postgres.sql");

pub(super) static LOCKED: Sql = Sql::joined("claim_take", [BY_LOCK, PICK, TAKE]);
pub(super) static LOCKED_MERGED: Sql = Sql::joined("claim_take_merged", [BY_LOCK, PICK_MERGED, TAKE]);
pub(super) static LOCKED_COUNTED: Sql = Sql::joined("claim_take_counted", [BY_LOCK, PICK_COUNTED, TAKE]);
pub(super) static EXPECTED: Sql = Sql::joined("claim_expected", [BY_EPOCH, PICK, TAKE]);
pub(super) static EXPECTED_MERGED: Sql = Sql::joined("claim_expected_merged", [BY_EPOCH, PICK_MERGED, TAKE]);
pub(super) static EXPECTED_STARTS: Sql = Sql::joined("claim_expected_starts", [BY_EPOCH, PICK, TAKE_STARTS]);
pub(super) static EXPECTED_STARTS_MERGED: Sql =
    Sql::joined("claim_expected_starts_merged", [BY_EPOCH, PICK_MERGED, TAKE_STARTS]);

/// What a claim took that found the epoch that it expected.
pub(super) struct TakenByEpoch {
    /// What it made of the epoch.
    pub(super) change: Change,
    /// The jobs, in no order.
    pub(super) taken: Vec<Taken>,
    /// What the clock said, where starts are counted.
    pub(super) clock: Option<Timestamp>,
}

/// Takes what was granted, with one of `tokens` for each, if the epoch is the expected one, in a transaction of its
/// own, and counts starts there. `None` where the epoch is another one. PostgreSQL only.
pub(super) async fn take_expecting(
    store: &SqlStore,
    request: &ClaimRequest,
    (grants, starts): (&Grants, Option<&CountedStarts>),
    tokens: &[LeaseToken],
    epoch: Epoch,
) -> StoreResult<Option<TakenByEpoch>> {
    let sql = match (starts.is_some(), grants.is_merged()) {
        (false, false) => &EXPECTED,
        (false, true) => &EXPECTED_MERGED,
        (true, false) => &EXPECTED_STARTS,
        (true, true) => &EXPECTED_STARTS_MERGED,
    };
    let queue = store.memory().queue(request.queue);
    let mut arguments = Arguments::new();
    let now = store.lease_now(request.now);
    let mark = expected_mark(epoch, queue.claim_place(epoch).as_deref());
    add_parameters(&mut arguments, (request, now), grants, tokens, Some((epoch, mark)));
    if let Some(starts) = starts {
        starts.add_to(&mut arguments);
    }
    let rows = columns::all(store, sql, arguments).await?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let first = Columns::of_postgres("queue_claim", TAKEN, first);
    let mark: String = first.get(CLAIM_PLACE)?;
    let clock = starts.map(|_| first.get(CLAIM_PLACE + 1).map(Timestamp)).transpose()?;
    let (after, place) = left(epoch, &mark)?;
    queue.record_claim_place(Some((after, place)));
    let memory = queue.lanes();
    let rows = rows.iter().map(|row| Columns::of_postgres("job", TAKEN, row));
    let taken = rows.filter_map(|row| jobs::taken_or_none(&memory, row).transpose());
    let taken = taken.collect::<StoreResult<_>>()?;
    Ok(Some(TakenByEpoch { change: Change { before: epoch, after }, taken, clock }))
}

/// A claim of no job of this queue, for a connection that is to know the statement.
pub(in crate::jobs) fn claim_of_nothing(queue: QueueName) -> (&'static Sql, Arguments) {
    let request = ClaimRequest {
        queue,
        tenant: None,
        job_types: None,
        build: WorkerBuild::Any,
        jobs_max: 0,
        lease: DurationMs::ZERO,
        worker_id: WorkerId::trusted(""),
        others: Vec::new(),
        tokens: Vec::new(),
        now: Timestamp(0),
    };
    let row = GrantRow { nth: 0, part: Part::All, lane: LaneId(-1), take: 0, floor: 0 };
    let grants = Grants { rows: vec![row], takes: vec![0], firsts: vec![0], is_counted: false };
    // No claim leaves such an epoch.
    let epoch = Epoch { number: -1, nonce: 0 };
    let mut arguments = Arguments::new();
    let expected = Some((epoch, expected_mark(epoch, None)));
    add_parameters(&mut arguments, (&request, None), &grants, &[], expected);
    (&EXPECTED, arguments)
}

/// The same in a transaction that has the lock. What is counted starts at `now`; `None` is the clock that leases are
/// judged by.
pub(super) async fn take_locked(
    store: &SqlStore,
    on: &DatabaseTransaction,
    request: &ClaimRequest,
    grants: &Grants,
    tokens: &[LeaseToken],
    now: Option<i64>,
) -> StoreResult<Vec<Taken>> {
    if grants.rows.is_empty() {
        return Ok(Vec::new());
    }
    let now = now.or_else(|| store.lease_now(request.now));
    if store.dialect() == Dialect::Sqlite {
        return take_sqlite::take(store, on, (request, now), grants, tokens).await;
    }
    let sql = match grants {
        Grants { is_counted: true, .. } => &LOCKED_COUNTED,
        _ if grants.is_merged() => &LOCKED_MERGED,
        _ => &LOCKED,
    };
    let mut values: Vec<Value> = Vec::new();
    add_parameters(&mut values, (request, now), grants, tokens, None);
    if grants.is_counted {
        let numbers =
            |of: &[u32]| of.iter().map(|&number| i32::try_from(number).unwrap_or(i32::MAX)).collect();
        values.add_list(List::Ints(numbers(&grants.takes)));
        values.add_list(List::Ints(numbers(&grants.firsts)));
    }
    let rows = sql.all(on, values).await?;
    let memory = store.memory().queue(request.queue).lanes();
    let taken = rows
        .iter()
        .map(|row| jobs::taken_or_none(&memory, Columns::of("job", TAKEN, row)?))
        .filter_map(Result::transpose);
    taken.collect()
}

/// Adds the parameters of the statements that take. A claim that has the lock expects no epoch.
fn add_parameters(
    to: &mut impl Parameters,
    (request, now): (&ClaimRequest, Option<i64>),
    grants: &Grants,
    tokens: &[LeaseToken],
    expected: Option<(Epoch, String)>,
) {
    to.add(request.queue.code());
    to.add(now);
    to.add(expected.as_ref().map_or(0, |(epoch, _)| epoch.number));
    to.add(request.lease.0);
    to.add_list(List::Texts(request.claimers().map(|(worker, _)| worker.as_str().into()).collect()));
    to.add_list(List::Uuids(tokens.iter().map(|token| token.0).collect()));
    to.add(expected.map(|(_, mark)| mark));
    if grants.is_counted {
        grants.add_parts_to(to);
    } else {
        grants.add_to(to, Dialect::Postgres);
    }
    to.add_list(List::Ints(first_tokens(request, tokens)));
}

/// Which of the tokens that are left is the first of each claimer, counted from one. Those of whom all are used begin
/// before them.
fn first_tokens(request: &ClaimRequest, left: &[LeaseToken]) -> Vec<i32> {
    let used = (request.tokens.len() - left.len()) as i32;
    request.claimers().map(|(_, first)| first as i32 - used + 1).collect()
}

/// Sorts taken jobs by grant and, within a grant, by position.
pub(super) fn by_grant(plan: &Plan, taken: Vec<Taken>) -> Vec<Vec<Taken>> {
    let mut grant_of: HashMap<LaneId, usize> = HashMap::new();
    for (nth, grant) in plan.grants.iter().enumerate() {
        grant_of.extend(grant.lanes.iter().map(|&lane| (lane, nth)));
    }
    let mut sorted: Vec<Vec<Taken>> = plan.grants.iter().map(|_| Vec::new()).collect();
    for job in taken {
        if let Some(&nth) = grant_of.get(&job.lane) {
            sorted[nth].push(job);
        }
    }
    for jobs in &mut sorted {
        jobs.sort_unstable_by_key(|taken| taken.job.position);
    }
    sorted
}

// Records in the ring and in the counts what a claim took.

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
    let sorted = by_grant(plan, taken);
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
        is_short |= memory.ring.record_claimed(grant, &lanes[first..], firsts);
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
