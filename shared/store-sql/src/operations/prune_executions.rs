//! Retention of executions that ended, with their node results, timelines, commands and user tasks.

use store::StoreResult;
use uuid::Uuid;

use crate::SqlStore;
use crate::attributes;
use crate::bind;
use crate::dialect::Dialect;
use crate::lock_order::begin_upkeep;
use crate::pool::commit;
use crate::retention::classes::Class;
use crate::sql::Sql;
use crate::transaction::DatabaseTransaction;

use super::prune_jobs::ids_of;
use super::walk::Walk;

// An execution stays while a dead letter of it is open: requeueing that one takes the execution up again. A child stays
// as long as its parent is under way: the parent may ask for it again. Looked for outside a transaction, as jobs are.
// See `walk` for the parameters.
// Index: execution_ended.
static PICK: Sql = Sql::new(
    "prune_executions_pick",
    "SELECT e.id, e.completed_at AS at, CAST(0 AS bigint) AS also, CAST(
       CASE WHEN EXISTS (SELECT 1 FROM job_done j JOIN dead_letter d ON d.job_id = j.id AND d.status = 'open'
                         WHERE j.execution_id = e.id)
              OR EXISTS (SELECT 1 FROM execution p WHERE p.id = e.parent_id AND p.completed_at IS NULL)
              OR COALESCE((SELECT o.kept_ms FROM retention_override o WHERE o.tenant = e.tenant AND o.subject = $5), -1) <> $6
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.completed_at, w.parent_id, w.tenant FROM execution w
         WHERE w.completed_at < $1 AND w.completed_at >= $3 AND (w.completed_at > $3 OR w.id > $4)
         ORDER BY w.completed_at, w.id LIMIT $2) e
     ORDER BY e.completed_at, e.id",
);

// The same for those that were found: one may have been taken up again since.
static LOCK: Sql = Sql::new(
    "prune_executions_lock",
    "SELECT e.id FROM execution e
     WHERE e.id {any $2 uuid} AND e.completed_at < $1
       AND NOT EXISTS (SELECT 1 FROM job_done j JOIN dead_letter d ON d.job_id = j.id AND d.status = 'open'
                       WHERE j.execution_id = e.id)
       AND NOT EXISTS (SELECT 1 FROM execution p WHERE p.id = e.parent_id AND p.completed_at IS NULL)
     {postgres:FOR UPDATE OF e SKIP LOCKED}",
);

static RESULTS: Sql =
    Sql::new("prune_node_results", "DELETE FROM node_result WHERE execution_id {any $1 uuid}");

static EVENTS: Sql =
    Sql::new("prune_execution_events", "DELETE FROM execution_event WHERE execution_id {any $1 uuid}");

static INBOX: Sql = Sql::new("prune_inbox", "DELETE FROM inbox WHERE execution_id {any $1 uuid}");

static USER_TASKS: Sql =
    Sql::new("prune_user_tasks", "DELETE FROM user_task WHERE execution_id {any $1 uuid}");

static EVENT_WAITS: Sql =
    Sql::new("prune_event_waits", "DELETE FROM event_wait WHERE execution_id {any $1 uuid}");

static EXECUTIONS: Sql = Sql::new("prune_executions", "DELETE FROM execution WHERE id {any $1 uuid}");

/// Removes executions of a class that ended before its instant.
pub(super) async fn prune(store: &SqlStore, class: &Class, limit: u32) -> StoreResult<u64> {
    let walk = Walk { sql: &PICK, kind: "executions", part: None, class: Some(class), has_also: false };
    let found = walk.find_ids(store, class.before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let list = |ids: &[Uuid]| bind::uuids(store.dialect(), ids.iter().copied());
    let locked = lock(&transaction, store.dialect(), class, &found).await?;
    for sql in [&RESULTS, &EVENTS, &INBOX, &USER_TASKS, &EVENT_WAITS] {
        sql.run(&transaction, vec![list(&locked)]).await?;
    }
    let gone = EXECUTIONS.run(&transaction, vec![list(&locked)]).await?;
    attributes::forget(&transaction, &locked).await?;
    commit(transaction).await?;
    Ok(gone)
}

/// Locks those of these executions that nobody has taken up since, and answers them.
pub(super) async fn lock(
    on: &DatabaseTransaction,
    dialect: Dialect,
    class: &Class,
    ids: &[Uuid],
) -> StoreResult<Vec<Uuid>> {
    let list = bind::uuids(dialect, ids.iter().copied());
    ids_of("execution", &LOCK.all(on, vec![class.before.0.into(), list]).await?)
}
