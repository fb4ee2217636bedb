//! Unfinished work of an erased tenant ends as CANCELLED, without undoing anything: whoever holds a lease of it finds it lost.

use domain::time::Timestamp;
use store::StoreResult;
use uuid::Uuid;

use super::Step;
use crate::SqlStore;
use crate::executions;
use crate::executions::moves::Moves;
use crate::jobs::end;
use crate::lock_order::begin_upkeep;
use crate::pool::{commit_change, rollback};
use crate::rows::Row;
use crate::sql::Sql;

// In the order in which everybody locks executions. Index: execution_open.
static EXECUTIONS: Sql = Sql::new(
    "open_executions_of_tenant",
    "SELECT id FROM execution WHERE id IN (
       SELECT w.id FROM execution w WHERE w.tenant = $1 AND w.completed_at IS NULL LIMIT {while_erased})
     ORDER BY depth, id {for_update}",
);

static JOBS: Sql = Sql::new(
    "open_jobs_of_tenant",
    "SELECT id FROM job WHERE lane IN (SELECT id FROM lane WHERE tenant = $1) LIMIT {while_erased}",
);

/// Ends executions, with the jobs of their nodes. Answers how many.
pub(super) async fn executions(store: &SqlStore, step: Step<'_>, now: Timestamp) -> StoreResult<u64> {
    let mut moves = Moves::none(store);
    let transaction = begin_upkeep(store.pool()).await?;
    let rows = EXECUTIONS.all(&transaction, step.values()).await?;
    let ids: Vec<Uuid> =
        rows.iter().map(|row| Row::new("execution", row).uuid("id")).collect::<StoreResult<_>>()?;
    if ids.is_empty() {
        rollback(transaction).await;
        return Ok(0);
    }
    executions::end_at_once(
        &transaction,
        store.dialect(),
        &ids,
        Some("the tenant is erased"),
        now,
        &mut moves,
    )
    .await?;
    moves.bump(&transaction, &[]).await?;
    commit_change(transaction).await?;
    moves.record(store, &[]);
    Ok(ids.len() as u64)
}

/// Ends jobs. Answers how many.
pub(super) async fn jobs(store: &SqlStore, step: Step<'_>, now: Timestamp) -> StoreResult<u64> {
    let rows = JOBS.all(store.pool().read(), step.values()).await?;
    let ids: Vec<Uuid> =
        rows.iter().map(|row| Row::new("job", row).uuid("id")).collect::<StoreResult<_>>()?;
    if ids.is_empty() {
        return Ok(0);
    }
    let mut moves = Moves::none(store);
    let transaction = begin_upkeep(store.pool()).await?;
    moves.end(end::cancel(&transaction, store.dialect(), &ids, now).await?);
    moves.bump(&transaction, &[]).await?;
    commit_change(transaction).await?;
    moves.record(store, &[]);
    Ok(ids.len() as u64)
}
