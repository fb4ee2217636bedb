//! Keeping the ring fresh: which lanes of a queue are not empty.

use std::time::Instant;

use domain::lane::LaneId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::Value;
use store::StoreResult;

use crate::errors::corrupt;
use crate::lanes;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

pub(super) static NONEMPTY: Sql = Sql::new("claim_lanes", include_str!("../../../sql/claim_lanes.sql"));

pub(super) static WINDOW: Sql =
    Sql::new("claim_lanes_window", include_str!("../../../sql/claim_lanes_window.sql"));

/// How many lanes one statement lists by steps.
const PAGE: usize = 1_000;

/// How many jobs one statement looks at where many lanes hold few jobs each: reading one after the other costs a tenth of
/// a step.
pub(super) const JOBS_PER_WINDOW: i64 = 4_000;

/// In windows with fewer lanes, steps are cheaper.
const LANES_PER_WINDOW_MIN: usize = 400;

/// Reads the ring again if it is dry, stale or old, outside any transaction and lock. Answers whether anything may be
/// queued; where nothing is, the database just said so, or said so before and was not written to since.
pub(super) async fn freshen(store: &SqlStore, queue: QueueName, now: Timestamp) -> StoreResult<bool> {
    let of_queue = store.memory().queue(queue);
    let (needs_listing, wants_listing) = {
        let memory = of_queue.lanes();
        let is_dry = memory.ring.is_empty();
        if is_dry && !memory.is_stale && of_queue.nothing_waits.holds(store.pool(), now) {
            return Ok(false);
        }
        (is_dry || memory.is_stale, memory.is_old())
    };
    // One that is old serves until another claim has read it, which takes long where there are many lanes.
    let turn = of_queue.listing.try_lock();
    if needs_listing || (wants_listing && turn.is_ok()) {
        list(store, queue).await?;
    }
    drop(turn);
    Ok(!store.memory().queue(queue).lanes().ring.is_empty())
}

async fn list(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let started_at = Instant::now();
    let of_queue = store.memory().queue(queue);
    let mark = store.pool().mark();
    let begun_at = of_queue.lanes().begin_listing();
    let listed = nonempty_lanes(store, queue).await;
    let mut memory = of_queue.lanes();
    let memory = &mut *memory;
    match listed {
        Ok(nonempty) => {
            memory
                .ring
                .rebuild(&memory.lanes, &nonempty, begun_at)
                .map_err(|error| corrupt("lane", "id", error.0.0))?;
            memory.end_listing(begun_at, started_at.elapsed());
            // Jobs that wait for their time do not count: promotion writes.
            of_queue.nothing_waits.note(mark.filter(|_| nonempty.is_empty()), Timestamp(i64::MAX));
            Ok(())
        }
        Err(error) => {
            memory.is_stale = true;
            Err(error)
        }
    }
}

/// The lanes of a queue in which jobs wait, as the database says now. Their keys are known afterwards.
pub(super) async fn nonempty_lanes(store: &SqlStore, queue: QueueName) -> StoreResult<Vec<LaneId>> {
    let mut nonempty: Vec<LaneId> = Vec::new();
    loop {
        if !add_page(store, queue, &mut nonempty).await? {
            break;
        }
        // There are many: as long as few jobs wait in each, they are read as they come.
        let mut window = Window { has_more: true, is_worth_it: true };
        while window.has_more && window.is_worth_it {
            window = add_window(store, queue, &mut nonempty).await?;
        }
        if !window.has_more {
            break;
        }
    }
    lanes::learn(store, store.pool().read(), queue, &nonempty).await?;
    Ok(nonempty)
}

/// At most so many lanes of a queue in which jobs wait, after this one, as the database says now.
pub(in crate::jobs) async fn lanes_after(
    store: &SqlStore,
    queue: QueueName,
    after: LaneId,
    limit: usize,
) -> StoreResult<Vec<LaneId>> {
    let rows = NONEMPTY.all(store.pool().read(), values(queue, &[after], limit as i64)).await?;
    rows.iter().map(|row| Ok(LaneId(Row::new("job", row).int("lane")?))).collect()
}

/// Adds the next lanes, a step along the index for each. Answers whether there may be more.
async fn add_page(store: &SqlStore, queue: QueueName, nonempty: &mut Vec<LaneId>) -> StoreResult<bool> {
    let rows = NONEMPTY.all(store.pool().read(), values(queue, nonempty, PAGE as i64)).await?;
    for row in &rows {
        nonempty.push(LaneId(Row::new("job", row).int("lane")?));
    }
    Ok(rows.len() >= PAGE)
}

/// What a window says of the next one.
struct Window {
    has_more: bool,
    is_worth_it: bool,
}

/// Adds the lanes of the next jobs.
async fn add_window(store: &SqlStore, queue: QueueName, nonempty: &mut Vec<LaneId>) -> StoreResult<Window> {
    let rows = WINDOW.all(store.pool().read(), values(queue, nonempty, JOBS_PER_WINDOW)).await?;
    let mut jobs = 0;
    for row in &rows {
        let row = Row::new("job", row);
        nonempty.push(LaneId(row.int("lane")?));
        jobs += row.long("jobs")?;
    }
    Ok(Window { has_more: jobs >= JOBS_PER_WINDOW, is_worth_it: rows.len() >= LANES_PER_WINDOW_MIN })
}

fn values(queue: QueueName, nonempty: &[LaneId], limit: i64) -> Vec<Value> {
    let after = nonempty.last().map_or(-1, |lane| lane.0);
    vec![queue.code().into(), after.into(), limit.into()]
}
