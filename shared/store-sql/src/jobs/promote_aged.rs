//! Aging: a job that has waited for long enough moves to the lane of the next higher tier.
//!
//! The tier that was asked for stays in the row. A job is lifted once for each time that the age has passed since it
//! became claimable.
//!
//! A call reads a bounded number of lanes and of jobs, however many wait, and the next call goes on behind them.

use std::collections::HashMap;

use domain::lane::{LaneId, LaneKey};
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use uuid::Uuid;

use super::claim::lanes_after;
use crate::bind::{self, Cell};
use crate::claim_row::bump_epoch;
use crate::dialect::Dialect;
use crate::errors::corrupt;
use crate::lanes;
use crate::lock_order::begin_upkeep;
use crate::pool::commit;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

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
pub(super) async fn promote_aged(
    store: &SqlStore,
    queue: QueueName,
    age: DurationMs,
    now: Timestamp,
    limit: u32,
) -> StoreResult<bool> {
    let after = store.memory().queue(queue).aged_cursor();
    let lanes = lanes_after(store, queue, after, LANES).await?;
    let next = if lanes.len() < LANES { None } else { lanes.last().copied() };
    let mut liftable = lanes::keys(store, store.pool().read(), queue, &lanes).await?;
    liftable.retain(|_, key| key.tier != Tier::High);
    let is_full = !liftable.is_empty() && lift_from(store, queue, age, now, limit, &liftable).await?;
    if !is_full {
        store.memory().queue(queue).set_aged_cursor(next);
    }
    Ok(is_full)
}

/// Lifts aged jobs of these lanes, at most `limit`. Answers whether there may be more.
async fn lift_from(
    store: &SqlStore,
    queue: QueueName,
    age: DurationMs,
    now: Timestamp,
    limit: u32,
    liftable: &HashMap<LaneId, LaneKey>,
) -> StoreResult<bool> {
    let aged = aged(store, queue, age, now, limit, liftable).await?;
    if aged.is_empty() {
        return Ok(false);
    }
    let mut olds: Vec<LaneId> = aged.iter().map(|(_, lane)| *lane).collect();
    olds.sort_unstable();
    olds.dedup();
    let keys: Vec<LaneKey> = olds
        .iter()
        .map(|old| {
            let key = liftable.get(old).ok_or_else(|| corrupt("lane", "id", old.0))?;
            Ok(LaneKey { tier: key.tier.lifted(), ..key.clone() })
        })
        .collect::<StoreResult<_>>()?;
    let lifted: HashMap<LaneId, LaneId> = olds.into_iter().zip(lanes::resolve(store, &keys).await?).collect();
    let transaction = begin_upkeep(store.pool()).await?;
    let cells = aged.iter().map(|(id, old)| {
        let new = lifted.get(old).copied().unwrap_or(*old);
        [Cell::Uuid(*id), Cell::Int(new.0), Cell::Int(old.0)]
    });
    MOVE.run(&transaction, bind::rows(store.dialect(), cells)).await?;
    let bumps = bump_epoch(&transaction, &[queue]).await?;
    commit(transaction).await?;
    for lane in lifted.into_values() {
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
    liftable: &HashMap<LaneId, LaneKey>,
) -> StoreResult<Vec<(Uuid, LaneId)>> {
    let (least, most) = HEADS_PER_LANE;
    let heads = (HEADS / liftable.len().max(1)).clamp(least, most);
    let mut values =
        vec![queue.code().into(), now.0.into(), age.0.into(), (heads as i64).into(), i64::from(limit).into()];
    let cells = liftable.iter().map(|(lane, key)| [Cell::Int(lane.0), Cell::Int(i32::from(key.tier.code()))]);
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
