//! Aging: a job that has waited for long enough moves to the lane of the next higher tier.
//!
//! The tier that was asked for stays in the row. A job is lifted once for each time that the age has passed since it
//! became claimable.

use std::collections::HashMap;

use domain::lane::{LaneId, LaneKey};
use domain::queue::{QueueName, Tier};
use domain::time::{DurationMs, Timestamp};
use store::StoreResult;
use uuid::Uuid;

use super::claim::nonempty_lanes;
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

/// How many jobs at the head of a lane are looked at. Those behind them are younger, except for retries, whose turn
/// comes when they are in front.
const HEADS: u32 = 100;

/// Lifts aged jobs of a queue, at most `limit`. Answers whether there may be more.
pub(super) async fn lift(
    store: &SqlStore,
    queue: QueueName,
    age: DurationMs,
    now: Timestamp,
    limit: u32,
) -> StoreResult<bool> {
    let liftable = liftable_lanes(store, queue).await?;
    if liftable.is_empty() {
        return Ok(false);
    }
    let aged = aged(store, queue, age, now, limit, &liftable).await?;
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
        store.memory().note_claimable(queue, lane);
    }
    bumps.note(store);
    Ok(aged.len() >= limit as usize)
}

/// Lanes in which jobs wait below the highest tier.
async fn liftable_lanes(store: &SqlStore, queue: QueueName) -> StoreResult<HashMap<LaneId, LaneKey>> {
    let nonempty = nonempty_lanes(store, queue).await?;
    let mut keys = lanes::keys(store, store.pool().read(), queue, &nonempty).await?;
    keys.retain(|_, key| key.tier != Tier::High);
    Ok(keys)
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
    let mut values = vec![
        queue.code().into(),
        now.0.into(),
        age.0.into(),
        i64::from(HEADS).into(),
        i64::from(limit).into(),
    ];
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
