//! Looks at known lanes from their beginnings, beside claims.
//!
//! Where an old snapshot keeps the index entries of jobs that are gone, claims and looks begin at the floor of a lane: the
//! position up to which it was served. What lies before is one of two things. Entries of jobs that are gone, which cost
//! each reading their length. Or a job whose insert was committed late, under a position that was given to it before;
//! whoever committed it announces it, but that can be lost. So the lanes are read from their beginnings now and then: not by a
//! claim, which would wait for it, but beside them, in a task of its own.
//!
//! What is found sets the floors in both directions. A lane in which nothing waits is passed up to the highest position that
//! any job had when the look began.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use domain::queue::{LaneId, QueueName};
use store::StoreResult;
use store::wakeup::Hint;

use super::net::heads_past;
use crate::dialect::Dialect;
use crate::lanes;
use crate::memory_lanes::LANES_LISTED_MAX;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

// PostgreSQL only: SQLite has one writer, which commits in the order of positions, and keeps no entries of what is gone.
static HIGHEST: Sql = Sql::new(
    "highest_position",
    "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS position FROM job_position_seq",
);

/// Starts one where it is due and none is under way.
pub(super) fn start_if_due(store: &SqlStore, queue: QueueName) {
    let of_queue = store.memory().queue(queue);
    // One that takes long, where there is much to read, is not joined by others.
    let Ok(turn) = Arc::clone(&of_queue.relooking).try_lock_owned() else { return };
    if !of_queue.lanes().begin_relook_if_due() {
        return;
    }
    let store = store.detached();
    tokio::spawn(async move {
        let _turn = turn;
        if let Err(error) = relook(&store, queue).await {
            // Claims go on by their floors, and list the lanes themselves when no look has ended for long.
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "lanes could not be read from their beginning"
            );
        }
    });
}

/// Reads all lanes of a queue of few lanes from their beginnings, and sets their floors.
pub(super) async fn relook(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let of_queue = store.memory().queue(queue);
    // With those that were made since.
    let up_to = lanes::learn_all(store, queue, LANES_LISTED_MAX).await?;
    let (look, known) = {
        let mut memory = of_queue.lanes();
        memory.mark_complete(up_to);
        (memory.counts.begin_look(), memory.lanes.ids().collect::<Vec<LaneId>>())
    };
    if up_to.is_none() {
        return Ok(());
    }
    let highest = match store.dialect() {
        Dialect::Postgres => highest(store).await?,
        Dialect::Sqlite => None,
    };
    let started_at = Instant::now();
    let heads = heads_past(store, queue, known.iter().map(|&lane| (lane, 0))).await?;
    let heads: HashMap<LaneId, i64> = heads.into_iter().collect();
    let cost = started_at.elapsed();
    if of_queue.lanes().end_relook(look, &known, (&heads, highest), cost) {
        // Its poll was not notified.
        store.wakeup().send(&[Hint::Freed(queue)]);
    }
    Ok(())
}

/// The highest position that was given to any job.
async fn highest(store: &SqlStore) -> StoreResult<Option<i64>> {
    let row = HIGHEST.first(store.pool().read(), vec![]).await?;
    row.map(|row| Row::new("job_position_seq", &row).long("position")).transpose()
}
