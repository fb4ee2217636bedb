//! Retention of finished jobs, with their attempts and payloads.

use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use uuid::Uuid;

use super::walk::Walk;
use crate::SqlStore;
use crate::attributes;
use crate::bind;
use crate::lock_order::begin_upkeep;
use crate::payloads;
use crate::pool::commit;
use crate::rows::Row;
use crate::sql::Sql;

// A job stays while somebody may still requeue it, and while the execution that shows it is under way. Looked for
// outside a transaction: jobs that stay may be many, and SQLite has one writer. See `walk` for the parameters.
// Index: job_done_ended.
static PICK: Sql = Sql::new(
    "prune_jobs_pick",
    "SELECT j.id, j.finished_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN EXISTS (SELECT 1 FROM dead_letter d WHERE d.job_id = j.id AND d.status = 'open')
              OR EXISTS (SELECT 1 FROM execution e WHERE e.id = j.execution_id AND e.completed_at IS NULL)
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.finished_at, w.execution_id FROM job_done w
         WHERE w.queue = $5 AND w.status = $6 AND w.finished_at < $1 AND w.finished_at >= $3
           AND (w.finished_at > $3 OR w.id > $4)
         ORDER BY w.finished_at, w.id LIMIT $2) j
     ORDER BY j.finished_at, j.id",
);

// The same for those that were found: one may have gone back to its queue since.
static LOCK: Sql = Sql::new(
    "prune_jobs_lock",
    "SELECT j.id FROM job_done j
     WHERE j.id {any $3 uuid} AND j.status = $1 AND j.finished_at < $2
       AND NOT EXISTS (SELECT 1 FROM dead_letter d WHERE d.job_id = j.id AND d.status = 'open')
       AND NOT EXISTS (SELECT 1 FROM execution e WHERE e.id = j.execution_id AND e.completed_at IS NULL)
     {postgres:FOR UPDATE OF j SKIP LOCKED}",
);

static ATTEMPTS: Sql = Sql::new("prune_attempts", "DELETE FROM attempt WHERE job_id {any $1 uuid}");

static JOBS: Sql = Sql::new("prune_jobs", "DELETE FROM job_done WHERE id {any $1 uuid}");

/// Removes jobs that ended in this way before an instant, of all queues together at most `limit`.
pub(super) async fn prune(
    store: &SqlStore,
    status: &'static str,
    before: Timestamp,
    limit: u32,
) -> StoreResult<u64> {
    let mut gone = 0;
    for queue in QueueName::ALL {
        let left = u64::from(limit).saturating_sub(gone);
        if left == 0 {
            break;
        }
        gone += prune_queue(store, queue, status, before, u32::try_from(left).unwrap_or(limit)).await?;
    }
    Ok(gone)
}

/// The same for one queue, whose jobs the index has in the order in which they ended.
async fn prune_queue(
    store: &SqlStore,
    queue: QueueName,
    status: &'static str,
    before: Timestamp,
    limit: u32,
) -> StoreResult<u64> {
    let walk = Walk { sql: &PICK, course: ("job_done", Some((queue, status))), has_also: false };
    let found = walk.find_ids(store, before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let list = |ids: &[Uuid]| bind::uuids(store.dialect(), ids.iter().copied());
    let values = vec![status.into(), before.0.into(), list(&found)];
    let locked = ids_of("job_done", &LOCK.all(&transaction, values).await?)?;
    ATTEMPTS.run(&transaction, vec![list(&locked)]).await?;
    let gone = JOBS.run(&transaction, vec![list(&locked)]).await?;
    payloads::remove(&transaction, &locked).await?;
    attributes::forget_jobs(&transaction, &locked).await?;
    commit(transaction).await?;
    Ok(gone)
}

/// The ids in rows of a table.
pub(super) fn ids_of(table: &'static str, rows: &[QueryResult]) -> StoreResult<Vec<Uuid>> {
    rows.iter().map(|row| Row::new(table, row).uuid("id")).collect()
}
