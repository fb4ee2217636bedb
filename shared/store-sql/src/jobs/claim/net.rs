//! The net under a lost notification, where a queue has too many lanes to read them all at once.
//!
//! Every second a part of them is listed beside the claims: lanes that are new by their number, then those of the highest tier
//! that are not in the ring, then the next part of all. So what came to a new lane or to the highest tier starts within
//! about a second although no node announced it, and everything else is found in the time that reading all lanes takes,
//! spread so that it costs a few hundredths of the time.
//!
//! The ring is the same as after one listing: each part says of its lanes which are not empty
//! ([`Ring::rebuild_part`](domain::claim::Ring::rebuild_part)). Limits never depend on it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::claim::Depth;
use domain::queue::{LaneId, QueueName, Tier};
use sea_orm::QueryResult;
use store::StoreResult;

use super::nonempty::{Listed, PROBE, nonempty_after};
use crate::bind::{self, Cell};
use crate::lanes;
use crate::memory_lanes::{LaneMemory, Look};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

/// How long each step of a listing goes on reading; it reads one page at least.
const BUDGET: Duration = Duration::from_millis(15);

/// How many lanes of the highest tier one statement reads.
pub(super) const HEADS_PER_PAGE: i64 = 1_000;

pub(super) static HEADS: Sql = Sql::new("claim_heads", include_str!("../../../sql/claim_heads.sql"));

// Index: lane_tier. $1 queue, $2 tier, $3 after which lane, $4 how many
static OF_TIER: Sql = Sql::new(
    "lanes_of_tier",
    "SELECT id FROM lane WHERE queue = $1 AND tier = $2 AND id > $3 ORDER BY id LIMIT $4",
);

// Index: lane's primary key; few queues lie between. $1 queue, $2 after which lane, $3 how many
static OF_QUEUE: Sql =
    Sql::new("lanes_after", "SELECT id FROM lane WHERE queue = $1 AND id > $2 ORDER BY id LIMIT $3");

static HIGHEST: Sql = Sql::new("highest_lane", "SELECT id FROM lane ORDER BY id DESC LIMIT 1");

/// Lists a part of the lanes beside claims, if nobody else is listing.
pub(super) fn start(store: &SqlStore, queue: QueueName) {
    let Ok(turn) = Arc::clone(&store.memory().queue(queue).listing).try_lock_owned() else { return };
    let store = store.detached();
    tokio::spawn(async move {
        let _turn = turn;
        let look_is = store.memory().queue(queue).lanes().look();
        if look_is == Look::Part
            && let Err(error) = look(&store, queue).await
        {
            // The lanes that are known serve meanwhile.
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "lanes could not be checked for missed jobs"
            );
        }
    });
}

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
    let (mut after, is_dear) = {
        let memory = of_queue.lanes();
        (memory.net.after_high, memory.is_dear())
    };
    loop {
        let values = vec![queue.code().into(), Tier::High.code().into(), after.into(), HEADS_PER_PAGE.into()];
        let (heads, read, last) = if is_dear {
            let rows = OF_TIER.all(store.pool().read(), values).await?;
            let ids = ids(&rows)?;
            (heads_past_floors(store, queue, &ids).await?, rows.len(), ids.last().map(|lane| lane.0))
        } else {
            heads(&HEADS.all(store.pool().read(), values).await?)?
        };
        after = last.unwrap_or(after);
        record_heads(store, queue, &heads).await?;
        if (read as i64) < HEADS_PER_PAGE {
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

/// Lanes with the positions of their first jobs, how many lanes were read, and the last of them.
fn heads(rows: &[QueryResult]) -> StoreResult<(Vec<(LaneId, i64)>, usize, Option<i32>)> {
    let (mut heads, mut last) = (Vec::new(), None);
    for row in rows {
        let row = Row::new("lane", row);
        let lane = row.int("id")?;
        last = Some(lane);
        if let Some(position) = row.long_or_null("position")? {
            heads.push((LaneId(lane), position));
        }
    }
    Ok((heads, rows.len(), last))
}

fn ids(rows: &[QueryResult]) -> StoreResult<Vec<LaneId>> {
    rows.iter().map(|row| Ok(LaneId(Row::new("lane", row).int("id")?))).collect()
}

/// Those of these lanes in which jobs wait past the jobs that this node took, with the positions of the first.
async fn heads_past_floors(
    store: &SqlStore,
    queue: QueueName,
    lanes: &[LaneId],
) -> StoreResult<Vec<(LaneId, i64)>> {
    if lanes.is_empty() {
        return Ok(Vec::new());
    }
    let past: Vec<(LaneId, i64)> = {
        let memory = store.memory().queue(queue).lanes();
        lanes.iter().map(|&lane| (lane, memory.counts.floor(lane))).collect()
    };
    heads_past(store, queue, past.into_iter()).await
}

/// Those of these lanes in which jobs wait past a position, with the positions of the first.
pub(super) async fn heads_past(
    store: &SqlStore,
    queue: QueueName,
    lanes: impl ExactSizeIterator<Item = (LaneId, i64)>,
) -> StoreResult<Vec<(LaneId, i64)>> {
    if lanes.len() == 0 {
        return Ok(Vec::new());
    }
    let mut values = vec![queue.code().into()];
    let cells = lanes.map(|(lane, position)| [Cell::Int(lane.0), Cell::Long(position)]);
    values.extend(bind::rows(store.dialect(), cells));
    let rows = PROBE.all(store.pool().read(), values).await?;
    let head = |row| {
        let row = Row::new("job", row);
        Ok((LaneId(row.int("lane")?), row.long("position")?))
    };
    rows.iter().map(head).collect()
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
    let (after, begun_at) = begin(&mut of_queue.lanes(), LaneMemory::begin_part);
    let started_at = Instant::now();
    let is_dear = of_queue.lanes().is_dear();
    let (listed, up_to) = if is_dear {
        look_past_floors(store, queue, after, started_at + BUDGET).await?
    } else {
        let listed = nonempty_after(store, queue, after, Some(started_at + BUDGET)).await?;
        let up_to = listed.lanes.last().filter(|_| !listed.is_all).map(|lane| lane.0);
        (listed, up_to)
    };
    let mut memory = of_queue.lanes();
    if !is_dear {
        memory.record_cost(listed.lanes.len(), started_at.elapsed().saturating_sub(BUDGET));
    }
    rebuild_up_to(&mut memory, after, &listed.lanes, (up_to, begun_at));
    memory.end_part(after, up_to);
    Ok(())
}

/// Lanes after this one in which jobs wait, each looked at past the jobs that were taken; and the last one that was looked
/// at, where there are more.
async fn look_past_floors(
    store: &SqlStore,
    queue: QueueName,
    after: i32,
    until: Instant,
) -> StoreResult<(Listed, Option<i32>)> {
    let (mut found, mut last) = (Vec::new(), after);
    let is_all = loop {
        let values = vec![queue.code().into(), last.into(), HEADS_PER_PAGE.into()];
        let page = ids(&OF_QUEUE.all(store.pool().read(), values).await?)?;
        found.extend(heads_past_floors(store, queue, &page).await?.into_iter().map(|(lane, _)| lane));
        last = page.last().map_or(last, |lane| lane.0);
        if (page.len() as i64) < HEADS_PER_PAGE {
            break true;
        }
        if Instant::now() >= until {
            break false;
        }
    };
    found.sort_unstable();
    lanes::learn(store, store.pool().read(), queue, &found).await?;
    Ok((Listed { lanes: found, is_all }, (!is_all).then_some(last)))
}

/// Begins to read lanes after the one that `of` answers.
fn begin(memory: &mut LaneMemory, of: impl Fn(&mut LaneMemory) -> i32) -> (i32, u64) {
    (of(memory), memory.ring.begin_listing())
}

fn rebuild(memory: &mut LaneMemory, after: i32, listed: &Listed, begun_at: u64) {
    let up_to = listed.lanes.last().filter(|_| !listed.is_all).map(|lane| lane.0);
    if listed.is_all || up_to.is_some() {
        rebuild_up_to(memory, after, &listed.lanes, (up_to, begun_at));
    }
}

/// Makes these the lanes in which jobs wait, of those after one and up to another, or of all after it.
fn rebuild_up_to(
    memory: &mut LaneMemory,
    after: i32,
    found: &[LaneId],
    (up_to, begun_at): (Option<i32>, u64),
) {
    let LaneMemory { ring, lanes, .. } = memory;
    let part = LaneId(after.saturating_add(1))..=LaneId(up_to.unwrap_or(i32::MAX));
    if ring.rebuild_part(lanes, part, found, begun_at).is_err() {
        // Keys were forgotten since they were read.
        memory.mark_stale();
    }
}

#[cfg(test)]
mod tests;
