//! Retention of executions that ended, with their node results, timelines, commands and user tasks.

use domain::time::Timestamp;
use store::StoreResult;
use uuid::Uuid;

use crate::SqlStore;
use crate::bind;
use crate::lock_order::begin_upkeep;
use crate::pool::commit;
use crate::rows::Row;
use crate::sql::Sql;

use super::prune_jobs::ids_of;

/// How many windows one call looks at, while none of them has anything to remove.
const WINDOWS_MAX: u32 = 10;

// An execution stays while a dead letter of it is open: requeueing that one takes the execution up again. A child stays
// as long as its parent is under way: the parent may ask for it again. Looked for outside a transaction, as jobs are.
// A window of those that ended, however many of them have to stay: the next call goes on behind it.
// $2 how many, $3 and $4 the last one that was looked at
// Index: execution_ended.
static PICK: Sql = Sql::new(
    "prune_executions_pick",
    "SELECT e.id, e.completed_at, CAST(
       CASE WHEN EXISTS (SELECT 1 FROM job_done j JOIN dead_letter d ON d.job_id = j.id AND d.status = 'open'
                         WHERE j.execution_id = e.id)
              OR EXISTS (SELECT 1 FROM execution p WHERE p.id = e.parent_id AND p.completed_at IS NULL)
            THEN 1 ELSE 0 END AS bigint) AS stays
     FROM (
         SELECT w.id, w.completed_at, w.parent_id FROM execution w
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

static EXECUTIONS: Sql = Sql::new("prune_executions", "DELETE FROM execution WHERE id {any $1 uuid}");

/// Removes executions that ended before an instant.
pub(super) async fn prune(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<u64> {
    let found = find(store, before, limit).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let transaction = begin_upkeep(store.pool()).await?;
    let list = |ids: &[Uuid]| bind::uuids(store.dialect(), ids.iter().copied());
    let locked = ids_of("execution", &LOCK.all(&transaction, vec![before.0.into(), list(&found)]).await?)?;
    for sql in [&RESULTS, &EVENTS, &INBOX, &USER_TASKS] {
        sql.run(&transaction, vec![list(&locked)]).await?;
    }
    let gone = EXECUTIONS.run(&transaction, vec![list(&locked)]).await?;
    commit(transaction).await?;
    Ok(gone)
}

/// Executions that may go, from where the last call left off.
async fn find(store: &SqlStore, before: Timestamp, limit: u32) -> StoreResult<Vec<Uuid>> {
    let mut found = Vec::new();
    for _ in 0..WINDOWS_MAX {
        let (ended_at, id) = store.memory().pruned_cursor();
        let values = vec![before.0.into(), i64::from(limit).into(), ended_at.into(), id.into()];
        let rows = PICK.all(store.pool().read(), values).await?;
        let mut last = (0, Uuid::nil());
        for row in &rows {
            let row = Row::new("execution", row);
            last = (row.long("completed_at")?, row.uuid("id")?);
            if row.long("stays")? == 0 {
                found.push(last.1);
            }
        }
        let is_last = rows.len() < limit as usize;
        store.memory().set_pruned_cursor(if is_last { (0, Uuid::nil()) } else { last });
        if is_last || !found.is_empty() {
            break;
        }
    }
    Ok(found)
}
