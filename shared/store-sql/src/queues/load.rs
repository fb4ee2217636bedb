//! What waits and runs in a queue, lane by lane, for those who decide how many workers there should be.
//!
//! Bounded whatever the backlog: so many lanes, and so many jobs of each. A lane with more jobs than that needs no exact
//! number, since no limit and no number of workers comes near it.

use std::collections::{BTreeMap, HashMap};

use domain::claim::LimitTable;
use domain::queue::{LaneId, QueueName};
use domain::rate::{RateSubject, StartCount};
use domain::scaling::{LaneLoad, QueueLoad};
use domain::time::Timestamp;
use store::StoreResult;
use store::queues::QueueMode;

use crate::bind::{self, Cell};
use crate::jobs::{LANES_WITH_JOBS, limits_in_force, rate_subject};
use crate::lanes;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

// A subselect for each lane, which no planner makes a join of: as many steps of the index as jobs are counted.
// Index: job_claim.
// $1 queue, $2 how many jobs of a lane are counted
static COUNTS: Sql = Sql::new(
    "load_counts",
    "SELECT g.lane, (
         SELECT count(*) FROM (
             SELECT 1 AS one FROM job j WHERE j.queue = $1 AND j.lane = g.lane AND j.state = 'queued' LIMIT $2
         ) counted
     ) AS jobs, (
         SELECT j.queued_at FROM job j WHERE j.queue = $1 AND j.lane = g.lane AND j.state = 'queued'
         ORDER BY j.position LIMIT 1
     ) AS oldest
     FROM {rows $3: lane int} g",
);

// Index: job_blocked, as far as the limit.
static BLOCKED: Sql = Sql::new(
    "load_blocked",
    "SELECT b.lane, count(*) AS jobs FROM (
         SELECT lane FROM job WHERE state = 'blocked' AND queue = $1 LIMIT $2
     ) b GROUP BY b.lane",
);

// What the claim counts against limits (`claim_running.sql`), and how many of them are offers: of relays, by their holders' names.
// Index: job_leased.
static RUNNING: Sql = Sql::new(
    "load_running",
    "SELECT lane, count(*) AS jobs, sum(CASE WHEN worker_id LIKE 'trunkline-relay/%' THEN 1 ELSE 0 END) AS offered
     FROM job WHERE queue = $1 AND state = 'processing' GROUP BY lane",
);

// Those that say something. Index: start_count's primary key, or start_count_age.
// $1 queue, $2 now or null, $3 how many
static STARTS: Sql = Sql::new(
    "load_starts",
    "SELECT scope, owner, name, counted, {now $2} AS now_ms FROM start_count
     WHERE queue = $1 AND expires_at > {now $2} LIMIT $3",
);

/// How many counts of rates are read.
const STARTS_MAX: usize = 100_000;

/// How many lanes are looked at.
const LANES_MAX: usize = 100_000;

/// How many jobs are counted in all, about.
const JOBS_MAX: u64 = 500_000;

/// How many jobs of a lane are counted, at least and at most.
const LANE_JOBS: (u64, u64) = (10, 10_000);

/// How many jobs that wait for a key are counted.
const BLOCKED_MAX: u64 = 50_000;

/// How many lanes are asked about in one statement.
const LANES_PER_STATEMENT: usize = 5_000;

#[derive(Debug, Default)]
struct Counts {
    queued: u64,
    blocked: u64,
    processing: u64,
    offered: u64,
    oldest_at: Option<Timestamp>,
}

/// `QueueStore::queue_load`.
pub(super) async fn load(store: &SqlStore, queue: QueueName, now: Timestamp) -> StoreResult<QueueLoad> {
    let on = store.pool().lists();
    let mut counts: HashMap<LaneId, Counts> = HashMap::new();
    let mut is_exact = count_queued(store, queue, &mut counts).await?;
    let values = vec![queue.code().into(), (BLOCKED_MAX as i64).into()];
    let mut blocked = 0;
    for row in &BLOCKED.all(on, values).await? {
        let (lane, jobs) = lane_and_jobs(Row::new("job", row))?;
        counts.entry(lane).or_default().blocked = jobs;
        blocked += jobs;
    }
    is_exact &= blocked < BLOCKED_MAX;
    for row in &RUNNING.all(on, vec![queue.code().into()]).await? {
        let row = Row::new("job", row);
        let (lane, jobs) = lane_and_jobs(row)?;
        let of = counts.entry(lane).or_default();
        (of.processing, of.offered) = (jobs, u64::try_from(row.long("offered")?).unwrap_or(0));
    }
    let ids: Vec<LaneId> = counts.keys().copied().collect();
    let keys = lanes::keys(store, on, queue, &ids).await?;
    let mut lanes: Vec<LaneLoad> = Vec::with_capacity(counts.len());
    for (lane, of) in counts {
        if let Some(key) = keys.get(&lane) {
            let Counts { queued, blocked, processing, offered, oldest_at } = of;
            lanes.push(LaneLoad { key: key.clone(), queued, blocked, processing, offered, oldest_at });
        }
    }
    let (limits, paused) = limits_in_force(store, queue).await?;
    let modes = modes(store).await?;
    let is_paused = modes.iter().any(|(named, mode)| *named == queue && *mode == QueueMode::Paused);
    let starts = if limits.rates.is_empty() {
        BTreeMap::new()
    } else {
        starts_left(store, queue, &limits, now).await?
    };
    Ok(QueueLoad { lanes, limits, is_paused, paused, is_exact, starts, as_of: now })
}

/// How many more starts fit, of all rates of a queue whose starts were counted lately.
async fn starts_left(
    store: &SqlStore,
    queue: QueueName,
    limits: &LimitTable,
    now: Timestamp,
) -> StoreResult<BTreeMap<RateSubject, u32>> {
    let values = vec![queue.code().into(), store.lease_now(now).into(), (STARTS_MAX as i64).into()];
    let mut starts = BTreeMap::new();
    for row in &STARTS.all(store.pool().lists(), values).await? {
        let row = Row::new("start_count", row);
        let (owner, name) = (row.text("owner")?, row.text("name")?);
        let subject = row.parsed("scope", |scope| rate_subject(scope, owner, name))?;
        let now = row.instant("now_ms")?;
        if let Some(rate) = limits.rates.of(&subject)
            && let Some(count) = row.json_or_null::<StartCount>("counted")?
        {
            starts.insert(subject, count.advanced(&rate, now).room(&rate));
        }
    }
    Ok(starts)
}

/// Counts jobs that can be claimed. Answers whether these are all.
async fn count_queued(
    store: &SqlStore,
    queue: QueueName,
    counts: &mut HashMap<LaneId, Counts>,
) -> StoreResult<bool> {
    let on = store.pool().lists();
    let values = vec![queue.code().into(), 0.into(), (LANES_MAX as i64 + 1).into()];
    let rows = LANES_WITH_JOBS.all(on, values).await?;
    let mut found: Vec<LaneId> =
        rows.iter().map(|row| Ok(LaneId(Row::new("job", row).int("lane")?))).collect::<StoreResult<_>>()?;
    let mut is_exact = found.len() <= LANES_MAX;
    found.truncate(LANES_MAX);
    let most = (JOBS_MAX / found.len().max(1) as u64).clamp(LANE_JOBS.0, LANE_JOBS.1);
    for lanes in found.chunks(LANES_PER_STATEMENT) {
        let mut values = vec![queue.code().into(), (most as i64).into()];
        values.extend(bind::rows(store.dialect(), lanes.iter().map(|lane| [Cell::Int(lane.0)])));
        for row in &COUNTS.all(on, values).await? {
            let row = Row::new("job", row);
            let (lane, jobs) = lane_and_jobs(row)?;
            let of = counts.entry(lane).or_default();
            (of.queued, of.oldest_at) = (jobs, row.instant_or_null("oldest")?);
            is_exact &= jobs < most;
        }
    }
    Ok(is_exact)
}

fn lane_and_jobs(row: Row<'_>) -> StoreResult<(LaneId, u64)> {
    Ok((LaneId(row.int("lane")?), u64::try_from(row.long("jobs")?).unwrap_or(0)))
}

static MODES: Sql = Sql::new("queue_modes", "SELECT queue, mode FROM queue_claim ORDER BY queue");

pub(super) async fn modes(store: &SqlStore) -> StoreResult<Vec<(QueueName, QueueMode)>> {
    let rows = MODES.all(store.pool().read(), vec![]).await?;
    let modes = rows.iter().map(|row| {
        let row = Row::new("queue_claim", row);
        Ok((row.queue("queue")?, row.parsed("mode", QueueMode::parse)?))
    });
    modes.collect()
}
