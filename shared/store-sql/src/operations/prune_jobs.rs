//! Retention of finished jobs, with their attempts and payloads.

use domain::job::JobStatus;
use domain::queue::QueueName;
use domain::retention::RetentionSubject;
use sea_orm::QueryResult;
use store::StoreResult;
use uuid::Uuid;

use super::walk::Walk;
use crate::SqlStore;
use crate::attributes;
use crate::bind;
use crate::dialect::Dialect;
use crate::lock_order::begin_upkeep;
use crate::payloads;
use crate::pool::commit;
use crate::retention::{Class, Classes};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

// A job stays while somebody may still requeue it, and while the execution that shows it is under way. Looked for
// outside a transaction: jobs that stay may be many, and SQLite has one writer. See `walk` for the parameters.
// Index: job_done_ended.
static PICK: Sql = Sql::new(
    "prune_jobs_pick",
    "SELECT j.id, j.finished_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN EXISTS (SELECT 1 FROM dead_letter d WHERE d.job_id = j.id AND d.status = 'open')
              OR EXISTS (SELECT 1 FROM execution e WHERE e.id = j.execution_id AND e.completed_at IS NULL)
              OR COALESCE((SELECT o.kept_ms FROM lane l JOIN retention_override o ON o.tenant = l.tenant AND o.subject = $7
                           WHERE l.id = j.lane), -1) <> $8
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.finished_at, w.execution_id, w.lane FROM job_done w
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

// A completed job goes back to no queue, so that it is removed without being locked before, which would be written to the
// log of PostgreSQL once more for each. Whoever is changing one (another node that prunes, an erasure, a payload that is
// dropped) goes through them by id as well, and is waited for no longer than upkeep waits for anything.
// Index: job_done's primary key.
static COMPLETED: Sql = Sql::new(
    "prune_completed_jobs",
    "DELETE FROM job_done
     WHERE id {any $2 uuid} AND status = 'COMPLETED' AND finished_at < $1
       AND NOT EXISTS (SELECT 1 FROM dead_letter d WHERE d.job_id = job_done.id AND d.status = 'open')
       AND NOT EXISTS (SELECT 1 FROM execution e WHERE e.id = job_done.execution_id AND e.completed_at IS NULL)
     RETURNING id",
);

static ATTEMPTS: Sql = Sql::new("prune_attempts", "DELETE FROM attempt WHERE job_id {any $1 uuid}");

static JOBS: Sql = Sql::new("prune_jobs", "DELETE FROM job_done WHERE id {any $1 uuid}");

/// The states in which a job ends.
pub(super) const STATUSES: [&str; 4] = ["COMPLETED", "FAILED", "DEAD_LETTER", "CANCELLED"];

/// The retention of jobs of a queue that ended in this way.
fn subject_of(queue: QueueName, status: &str) -> RetentionSubject {
    match status {
        "COMPLETED" => RetentionSubject::Completed(queue),
        "CANCELLED" => RetentionSubject::Cancelled(queue),
        _ => RetentionSubject::Failed(queue),
    }
}

/// Removes jobs that retention does not keep any longer; of all queues and classes together at most `limit` that ended in
/// the same way.
pub(super) async fn prune(store: &SqlStore, classes: &Classes<'_>, limit: u32) -> StoreResult<u64> {
    let mut gone_in_all = 0;
    for status in STATUSES {
        let mut gone = 0;
        for queue in QueueName::ALL {
            for class in classes.of(subject_of(queue, status)) {
                let left = limit - u32::try_from(gone).unwrap_or(limit).min(limit);
                if left > 0 {
                    gone += prune_part(store, (queue, status), &class, left).await?;
                }
            }
        }
        gone_in_all += gone;
    }
    Ok(gone_in_all)
}

/// The same for one queue and class, whose jobs the index has in the order in which they ended.
async fn prune_part(
    store: &SqlStore,
    part: (QueueName, &'static str),
    class: &Class,
    limit: u32,
) -> StoreResult<u64> {
    let walk = Walk { sql: &PICK, kind: "jobs", part: Some(part), class: Some(class), has_also: false };
    let found = walk.find_ids(store, class.before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let gone = remove(&transaction, store.dialect(), part.1, class, &found).await?;
    ATTEMPTS.run(&transaction, vec![bind::uuids(store.dialect(), gone.iter().copied())]).await?;
    payloads::remove(&transaction, &gone).await?;
    attributes::forget_jobs(&transaction, &gone).await?;
    commit(transaction).await?;
    Ok(gone.len() as u64)
}

/// Removes the rows of those of these jobs that may still go, and answers them.
async fn remove(
    on: &DatabaseTransaction,
    dialect: Dialect,
    status: &str,
    class: &Class,
    ids: &[Uuid],
) -> StoreResult<Vec<Uuid>> {
    let list = |ids: &[Uuid]| bind::uuids(dialect, ids.iter().copied());
    if status == JobStatus::Completed.as_str() {
        return ids_of("job_done", &COMPLETED.all(on, vec![class.before.0.into(), list(ids)]).await?);
    }
    let locked = lock(on, dialect, status, class, ids).await?;
    JOBS.run(on, vec![list(&locked)]).await?;
    Ok(locked)
}

/// Locks those of these jobs that nobody has taken up since, and answers them.
pub(super) async fn lock(
    on: &DatabaseTransaction,
    dialect: Dialect,
    status: &str,
    class: &Class,
    ids: &[Uuid],
) -> StoreResult<Vec<Uuid>> {
    let list = bind::uuids(dialect, ids.iter().copied());
    ids_of("job_done", &LOCK.all(on, vec![status.into(), class.before.0.into(), list]).await?)
}

/// The ids in rows of a table.
pub(super) fn ids_of(table: &'static str, rows: &[QueryResult]) -> StoreResult<Vec<Uuid>> {
    rows.iter().map(|row| Row::new(table, row).uuid("id")).collect()
}
