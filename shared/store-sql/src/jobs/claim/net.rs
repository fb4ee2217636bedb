//! The net under a lost notification, where a queue has too many lanes to read them all at once.
//!
//! Every second one claim lists a part of them: lanes that are new by their number, then those of the highest tier
//! that are not in the ring, then the next part of all. So what came to a new lane or to the highest tier starts within
//! about a second although no node announced it, and everything else is found in the time that reading all lanes takes,
//! spread so that it costs a few hundredths of the time.
//!
//! The ring is the same as after one listing: each part says of its lanes which are not empty
//! ([`Ring::rebuild_part`](domain::claim::Ring::rebuild_part)). Limits never depend on it.

use std::time::{Duration, Instant};

use domain::claim::Depth;
use domain::lane::LaneId;
use domain::queue::{QueueName, Tier};
use store::StoreResult;

use super::ring::{Listed, nonempty_after};
use crate::lanes;
use crate::memory_lanes::LaneMemory;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

/// How long each step of a listing goes on reading; it reads one page at least.
const BUDGET: Duration = Duration::from_millis(15);

/// How many lanes of the highest tier one statement reads.
pub(super) const HEADS_PER_PAGE: i64 = 1_000;

pub(super) static HEADS: Sql = Sql::new("claim_heads", include_str!("../../../sql/claim_heads.sql"));

static HIGHEST: Sql = Sql::new("highest_lane", "SELECT id FROM lane ORDER BY id DESC LIMIT 1");

/// Lists a part of the lanes.
pub(super) async fn look(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    let is_whole = of_queue.lanes().net.begin();
    if is_whole {
        look_at_new(store, queue).await?;
        look_at_highest_tier(store, queue).await?;
    }
    look_at_rest(store, queue).await
}

/// Lanes that were made since a second ago.
async fn look_at_new(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    let highest = HIGHEST.first(store.pool().read(), vec![]).await?;
    let highest = highest.map_or(Ok(0), |row| Row::new("lane", &row).int("id"))?;
    let (after, begun_at) = begin(&mut of_queue.lanes(), |memory| memory.net.known_up_to);
    let listed = nonempty_after(store, queue, after, Some(Instant::now() + BUDGET)).await?;
    let mut memory = of_queue.lanes();
    rebuild(&mut memory, after, &listed, begun_at);
    // Whoever was given a lower number than the highest of the last look has inserted the lane by now.
    let end = if listed.is_all { i32::MAX } else { listed.lanes.last().map_or(after, |lane| lane.0) };
    memory.net.known_up_to = after.max(memory.net.highest.min(end));
    memory.net.highest = highest;
    Ok(())
}

/// Lanes of the highest tier, whatever their numbers: each is read by itself, for those that are empty are not in
/// the index of what waits, and those of other tiers lie between them.
async fn look_at_highest_tier(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    let until = Instant::now() + BUDGET;
    let mut after = of_queue.lanes().net.after_high;
    loop {
        let values = vec![queue.code().into(), Tier::High.code().into(), after.into(), HEADS_PER_PAGE.into()];
        let rows = HEADS.all(store.pool().read(), values).await?;
        let mut heads: Vec<(LaneId, i64)> = Vec::new();
        for row in &rows {
            let row = Row::new("lane", row);
            after = row.int("id")?;
            if let Some(position) = row.long_or_null("position")? {
                heads.push((LaneId(after), position));
            }
        }
        record_heads(store, queue, &heads).await?;
        if (rows.len() as i64) < HEADS_PER_PAGE {
            after = 0;
            break;
        }
        if Instant::now() >= until {
            break;
        }
    }
    of_queue.lanes().net.after_high = after;
    Ok(())
}

/// Adds lanes with the positions of their first jobs.
async fn record_heads(store: &SqlStore, queue: QueueName, heads: &[(LaneId, i64)]) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    let new: Vec<LaneId> = {
        let mut memory = of_queue.lanes();
        for &(lane, position) in heads {
            if position <= memory.counts.floor(lane) {
                memory.counts.lower_floor(lane, position);
            }
        }
        heads.iter().map(|(lane, _)| *lane).filter(|&lane| !memory.ring.contains(lane)).collect()
    };
    lanes::learn(store, store.pool().read(), queue, &new).await?;
    let mut memory = of_queue.lanes();
    for lane in new {
        memory.add(lane, 1);
        memory.ring.record_depth(lane, Depth::UNKNOWN);
    }
    Ok(())
}

/// The next part of all lanes.
async fn look_at_rest(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    let (after, begun_at) = begin(&mut of_queue.lanes(), |memory| memory.net.after);
    let listed = nonempty_after(store, queue, after, Some(Instant::now() + BUDGET)).await?;
    let mut memory = of_queue.lanes();
    rebuild(&mut memory, after, &listed, begun_at);
    let up_to = listed.lanes.last().filter(|_| !listed.is_all).map(|lane| lane.0);
    memory.end_part(after, up_to);
    Ok(())
}

/// Begins to read lanes after the one that `of` answers.
fn begin(memory: &mut LaneMemory, of: impl Fn(&LaneMemory) -> i32) -> (i32, u64) {
    (of(memory), memory.ring.begin_listing())
}

fn rebuild(memory: &mut LaneMemory, after: i32, listed: &Listed, begun_at: u64) {
    let last = if listed.is_all { Some(LaneId(i32::MAX)) } else { listed.lanes.last().copied() };
    let Some(last) = last else { return };
    let LaneMemory { ring, lanes, .. } = memory;
    let part = LaneId(after.saturating_add(1))..=last;
    if ring.rebuild_part(lanes, part, &listed.lanes, begun_at).is_err() {
        // Keys were forgotten since they were read.
        memory.mark_stale();
    }
}

#[cfg(test)]
mod tests;
