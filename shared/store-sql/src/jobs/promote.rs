//! Promotion: due jobs become claimable, aged jobs are promoted a tier, blocked jobs take keys that became free.

use std::collections::{BTreeMap, HashMap};

use domain::job::JobStatus;
use domain::queue::{LaneId, LaneKey, QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use store::jobs::Promoted;
use uuid::Uuid;

use super::admit::{Admitted, admit};
use super::claim::lanes_after;
use super::status;
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::errors::corrupt;
use crate::lanes;
use crate::lock_order::begin_upkeep;
use crate::pool::commit;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

pub(super) static LOOK: Sql = Sql::new("promote_look", include_str!("../../sql/promote_look.sql"));
static DUE: Sql = Sql::new("promote_due", include_str!("../../sql/promote_due.sql"));
static BLOCKED_KEYS: Sql = Sql::new("blocked_keys", include_str!("../../sql/blocked_keys.sql"));

/// What one step made claimable.
#[derive(Debug, Default)]
struct Step {
    claimable: Vec<(QueueName, LaneId, i64)>,
    /// The tiers that those jobs were enqueued at, in order.
    tiers: Vec<Tier>,
    is_full: bool,
}

/// `JobStore::promote_due`.
pub(super) async fn promote_due(
    store: &SqlStore,
    age_after: &[(QueueName, DurationMs)],
    now: Timestamp,
    limit: u32,
) -> StoreResult<Promoted> {
    let seen = look(store, now).await?;
    let (mut due_now, mut freed) = (Step::default(), Step::default());
    if seen.is_due {
        due_now = with_retry(RetryBudget::repeatable(), || due(store, now, limit)).await?;
    }
    // Some of those that were due may be blocked now.
    if seen.is_due || seen.is_blocked {
        freed = with_retry(RetryBudget::repeatable(), || admit_freed(store, now, limit)).await?;
    } else {
        store.memory().set_blocked_cursor(String::new());
    }
    let mut promoted = Promoted { more: due_now.is_full || freed.is_full, ..Promoted::default() };
    let mut counts: BTreeMap<QueueName, u32> = BTreeMap::new();
    for step in [&due_now, &freed] {
        for (&(queue, lane, _), &tier) in step.claimable.iter().zip(&step.tiers) {
            promoted.lanes.push((queue, lane, tier));
            *counts.entry(queue).or_default() += 1;
        }
    }
    promoted.by_queue.extend(counts);
    for &(queue, age) in age_after {
        promoted.more |=
            with_retry(RetryBudget::repeatable(), || promote_aged_jobs(store, queue, age, now, limit))
                .await?;
    }
    Ok(promoted)
}

/// What there is to do.
#[derive(Debug, Clone, Copy)]
struct Seen {
    is_due: bool,
    is_blocked: bool,
}

/// Looks whether anything is due or blocked. Most of the time nothing is: then no transaction begins.
async fn look(store: &SqlStore, now: Timestamp) -> StoreResult<Seen> {
    let nothing = Seen { is_due: false, is_blocked: false };
    if store.memory().nothing_due.is_still_empty(store.pool(), now) {
        return Ok(nothing);
    }
    let mark = store.pool().mark();
    let Some(row) = LOOK.first(store.pool().read(), vec![]).await? else {
        return Ok(nothing);
    };
    let row = Row::new("job", &row);
    let next = [row.instant_or_null("first_due")?, row.instant_or_null("first_parked")?];
    let next = next.into_iter().flatten().min().unwrap_or(Timestamp(i64::MAX));
    let seen = Seen { is_due: next <= now, is_blocked: row.int("blocked")? != 0 };
    store.memory().nothing_due.record(mark.filter(|_| !seen.is_due && !seen.is_blocked), next);
    Ok(seen)
}

async fn due(store: &SqlStore, now: Timestamp, limit: u32) -> StoreResult<Step> {
    let transaction = begin_upkeep(store.pool()).await?;
    let rows = DUE.all(&transaction, vec![now.0.into(), i64::from(limit).into()]).await?;
    let mut step = Step {
        claimable: Vec::with_capacity(rows.len()),
        tiers: Vec::with_capacity(rows.len()),
        is_full: rows.len() >= limit as usize,
    };
    let mut keys: Vec<String> = Vec::new();
    for row in &rows {
        let row = Row::new("job", row);
        if let Some(key) = row.text_or_null("concurrency_key")? {
            keys.push(key);
        } else {
            step.claimable.push((row.queue("queue")?, LaneId(row.int("lane")?), row.long("position")?));
            step.tiers.push(row.tier("tier")?);
        }
        debug_assert_eq!(status::status(row, "state")?, JobStatus::Queued);
    }
    step.admitted(&admit(&transaction, &keys, now).await?);
    finish(store, transaction, step).await
}

/// Admits blocked jobs whose key is free. Whoever frees a key admits the next job itself, but two transactions that
/// do not see each other can leave a job behind: one frees the key while the other brings the job. Walks through the
/// keys, at most `limit` a call.
async fn admit_freed(store: &SqlStore, now: Timestamp, limit: u32) -> StoreResult<Step> {
    let after = store.memory().blocked_cursor();
    let values = vec![after.clone().into(), i64::from(limit).into()];
    let rows = BLOCKED_KEYS.all(store.pool().read(), values).await?;
    let keys = rows.iter().map(|row| Row::new("job", row).text("concurrency_key"));
    let keys: Vec<String> = keys.collect::<StoreResult<_>>()?;
    let is_full = keys.len() >= limit as usize;
    store.memory().set_blocked_cursor(if is_full {
        keys.last().cloned().unwrap_or_default()
    } else {
        String::new()
    });
    if keys.is_empty() {
        return Ok(Step { is_full: !after.is_empty(), ..Step::default() });
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let admitted = admit(&transaction, &keys, now).await?;
    let mut step = Step { is_full, ..Step::default() };
    step.admitted(&admitted);
    finish(store, transaction, step).await
}

impl Step {
    fn admitted(&mut self, jobs: &[Admitted]) {
        self.claimable.extend(jobs.iter().map(|job| (job.queue, job.lane, job.position)));
        self.tiers.extend(jobs.iter().map(|job| job.tier));
    }
}

async fn finish(
    store: &SqlStore,
    transaction: crate::sql::DatabaseTransaction,
    step: Step,
) -> StoreResult<Step> {
    let mut queues: Vec<QueueName> = step.claimable.iter().map(|(queue, ..)| *queue).collect();
    queues.dedup();
    let bumps = bump_epoch(&transaction, &queues).await?;
    commit(transaction).await?;
    for &(queue, lane, position) in &step.claimable {
        store.memory().record_claimable_from(queue, lane, position);
    }
    bumps.record(store);
    Ok(step)
}

// Aging: a job that has waited for long enough moves to the lane of the next higher tier.
//
// The tier that was asked for stays in the row. A job is promoted once for each time that the age has passed since it
// became claimable.
//
// A call reads a bounded number of lanes and of jobs, however many wait, and the next call goes on behind them.

static AGED_POSTGRES: Sql = Sql::new("aged", include_str!("../../sql/aged_postgres.sql"));
static AGED_SQLITE: Sql = Sql::new("aged", include_str!("../../sql/aged_sqlite.sql"));
static MOVE: Sql = Sql::new("move_lanes", include_str!("../../sql/move_lanes.sql"));

/// How many lanes a call reads.
const LANES: usize = 500;

/// How many jobs a call reads, over all its lanes.
const HEADS: usize = 10_000;

/// How many jobs at the head of each lane are looked at, at least and at most. Those behind them are younger, except
/// for retries, whose turn comes when they are in front.
const HEADS_PER_LANE: (usize, usize) = (20, 500);

/// Promotes aged jobs of a queue to the next tier, at most `limit`. Answers whether there may be more in the lanes that
/// it read.
pub(super) async fn promote_aged_jobs(
    store: &SqlStore,
    queue: QueueName,
    age: DurationMs,
    now: Timestamp,
    limit: u32,
) -> StoreResult<bool> {
    let after = store.memory().queue(queue).aged_cursor();
    let lanes = lanes_after(store, queue, after, LANES).await?;
    let next = if lanes.len() < LANES { None } else { lanes.last().copied() };
    let mut promotable = lanes::keys(store, store.pool().read(), queue, &lanes).await?;
    promotable.retain(|_, key| key.tier != Tier::High);
    let is_full =
        !promotable.is_empty() && promote_aged_in(store, queue, age, now, limit, &promotable).await?;
    if !is_full {
        store.memory().queue(queue).set_aged_cursor(next);
    }
    Ok(is_full)
}

/// Promotes aged jobs of these lanes, at most `limit`. Answers whether there may be more.
async fn promote_aged_in(
    store: &SqlStore,
    queue: QueueName,
    age: DurationMs,
    now: Timestamp,
    limit: u32,
    promotable: &HashMap<LaneId, LaneKey>,
) -> StoreResult<bool> {
    let aged = aged(store, queue, age, now, limit, promotable).await?;
    if aged.is_empty() {
        return Ok(false);
    }
    let mut olds: Vec<LaneId> = aged.iter().map(|(_, lane)| *lane).collect();
    olds.sort_unstable();
    olds.dedup();
    let keys: Vec<LaneKey> = olds
        .iter()
        .map(|old| {
            let key = promotable.get(old).ok_or_else(|| corrupt("lane", "id", old.0))?;
            Ok(LaneKey { tier: key.tier.promoted(), ..key.clone() })
        })
        .collect::<StoreResult<_>>()?;
    let promoted: HashMap<LaneId, LaneId> =
        olds.into_iter().zip(lanes::resolve(store, &keys).await?).collect();
    let transaction = begin_upkeep(store.pool()).await?;
    let cells = aged.iter().map(|(id, old)| {
        let new = promoted.get(old).copied().unwrap_or(*old);
        [Cell::Uuid(*id), Cell::Int(new.0), Cell::Int(old.0)]
    });
    MOVE.run(&transaction, bind::rows(store.dialect(), cells)).await?;
    let bumps = bump_epoch(&transaction, &[queue]).await?;
    commit(transaction).await?;
    for lane in promoted.into_values() {
        store.memory().record_claimable(queue, lane);
    }
    bumps.record(store);
    Ok(aged.len() >= limit as usize)
}

/// Ids and lanes of jobs that are due for the next tier.
async fn aged(
    store: &SqlStore,
    queue: QueueName,
    age: DurationMs,
    now: Timestamp,
    limit: u32,
    promotable: &HashMap<LaneId, LaneKey>,
) -> StoreResult<Vec<(Uuid, LaneId)>> {
    let (least, most) = HEADS_PER_LANE;
    let heads = (HEADS / promotable.len().max(1)).clamp(least, most);
    let mut values =
        vec![queue.code().into(), now.0.into(), age.0.into(), (heads as i64).into(), i64::from(limit).into()];
    let cells =
        promotable.iter().map(|(lane, key)| [Cell::Int(lane.0), Cell::Int(i32::from(key.tier.code()))]);
    values.extend(bind::rows(store.dialect(), cells));
    let sql = match store.dialect() {
        Dialect::Postgres => &AGED_POSTGRES,
        Dialect::Sqlite => &AGED_SQLITE,
    };
    let rows = sql.all(store.pool().read(), values).await?;
    let aged = rows.iter().map(|row| {
        let row = Row::new("job", row);
        Ok((row.uuid("id")?, LaneId(row.int("lane")?)))
    });
    aged.collect()
}
