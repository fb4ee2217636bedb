//! Keeping the ring fresh: which lanes of a queue are not empty.

use std::time::Instant;

use domain::lane::LaneId;
use domain::queue::QueueName;
use store::StoreResult;

use crate::errors::corrupt;
use crate::lanes;
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

pub(super) static NONEMPTY: Sql = Sql::new("claim_lanes", include_str!("../../../sql/claim_lanes.sql"));

/// How many lanes one statement lists.
const PAGE: usize = 1_000;

/// Reads the ring again if it is dry, stale or old, outside any transaction and lock. Answers whether anything may be
/// queued; where nothing is, the database just said so.
pub(super) async fn freshen(store: &SqlStore, queue: QueueName) -> StoreResult<bool> {
    let wants_listing = {
        let memory = store.memory().queue(queue).lanes();
        memory.ring.is_empty() || memory.wants_listing()
    };
    if wants_listing {
        list(store, queue).await?;
    }
    Ok(!store.memory().queue(queue).lanes().ring.is_empty())
}

async fn list(store: &SqlStore, queue: QueueName) -> StoreResult<()> {
    let started_at = Instant::now();
    let begun_at = store.memory().queue(queue).lanes().begin_listing();
    let listed = nonempty_lanes(store, queue).await;
    let mut memory = store.memory().queue(queue).lanes();
    let memory = &mut *memory;
    match listed {
        Ok(nonempty) => {
            memory
                .ring
                .rebuild(&memory.lanes, &nonempty, begun_at)
                .map_err(|error| corrupt("lane", "id", error.0.0))?;
            memory.end_listing(started_at.elapsed());
            Ok(())
        }
        Err(error) => {
            memory.is_stale = true;
            Err(error)
        }
    }
}

/// The lanes of a queue in which jobs wait, as the database says now. Their keys are known afterwards.
pub(in crate::jobs) async fn nonempty_lanes(store: &SqlStore, queue: QueueName) -> StoreResult<Vec<LaneId>> {
    let mut nonempty: Vec<LaneId> = Vec::new();
    loop {
        let after = nonempty.last().map_or(-1, |lane| lane.0);
        let values = vec![queue.code().into(), after.into(), (PAGE as i64).into()];
        let rows = NONEMPTY.all(store.pool().read(), values).await?;
        for row in &rows {
            nonempty.push(LaneId(Row::new("job", row).int("lane")?));
        }
        if rows.len() < PAGE {
            break;
        }
    }
    lanes::learn(store, store.pool().read(), queue, &nonempty).await?;
    Ok(nonempty)
}
