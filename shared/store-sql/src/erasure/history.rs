//! What an erased tenant has of jobs, executions, dead letters and deliveries, with all that is kept beside them.

use domain::time::Timestamp;
use store::StoreResult;
use uuid::Uuid;

use super::Step;
use crate::executions::lock::Moves;
use crate::jobs::end;
use crate::lock_order::begin_upkeep;
use crate::pool::{commit, commit_change, rollback};
use crate::rows::Row;
use crate::sql::Sql;
use crate::webhooks::hold::remove;
use crate::{SqlStore, bind, executions, payloads};

// Picks of ids. Parameters as in [`Step`]. Index: job_done_lane.
static JOBS: Sql = Sql::new(
    "erase_jobs_pick",
    "SELECT id FROM job_done WHERE lane IN (SELECT id FROM lane WHERE tenant = $1) LIMIT {while_erased}",
);

// Removals by picked ids ($1): what belongs to a row, and the row last.
static OF_JOBS: [Sql; 4] = [
    Sql::new("erase_attempts", "DELETE FROM attempt WHERE job_id {any $1 uuid}"),
    Sql::new("erase_job_log", "DELETE FROM job_log WHERE job_id {any $1 uuid}"),
    Sql::new("erase_job_log_attempts", "DELETE FROM job_log_attempt WHERE job_id {any $1 uuid}"),
    Sql::new("erase_jobs", "DELETE FROM job_done WHERE id {any $1 uuid}"),
];

// Index: dead_letter_tenant_died, or another that begins with the tenant.
static DEAD_LETTERS: Sql =
    Sql::new("erase_dead_letters_pick", "SELECT id FROM dead_letter WHERE tenant = $1 LIMIT {while_erased}");

static OF_DEAD_LETTERS: [Sql; 1] =
    [Sql::new("erase_dead_letters", "DELETE FROM dead_letter WHERE id {any $1 uuid}")];

// Index: execution_tenant.
static EXECUTIONS: Sql = Sql::new(
    "erase_executions_pick",
    "SELECT id FROM execution WHERE tenant = $1 AND completed_at IS NOT NULL LIMIT {while_erased}",
);

static OF_EXECUTIONS: [Sql; 6] = [
    Sql::new("erase_node_results", "DELETE FROM node_result WHERE execution_id {any $1 uuid}"),
    Sql::new("erase_execution_events", "DELETE FROM execution_event WHERE execution_id {any $1 uuid}"),
    Sql::new("erase_inbox", "DELETE FROM inbox WHERE execution_id {any $1 uuid}"),
    Sql::new("erase_user_tasks", "DELETE FROM user_task WHERE execution_id {any $1 uuid}"),
    Sql::new("erase_event_waits", "DELETE FROM event_wait WHERE execution_id {any $1 uuid}"),
    Sql::new("erase_executions", "DELETE FROM execution WHERE id {any $1 uuid}"),
];

// Not `attributes::forget`, which does nothing once no tenant declares any: the declarations may have gone before a job that was
// still under way.
static ATTRIBUTES: Sql =
    Sql::new("erase_attributes", "DELETE FROM attribute_value WHERE object {any $1 uuid}");

/// In this order nothing can be taken up again in between: dead letters before their jobs, jobs after their executions.
static KINDS: [(&Sql, &[Sql]); 3] =
    [(&DEAD_LETTERS, &OF_DEAD_LETTERS), (&EXECUTIONS, &OF_EXECUTIONS), (&JOBS, &OF_JOBS)];

// Index: webhook_delivery_tenant.
static DELIVERIES: Sql = Sql::new(
    "erase_deliveries_pick",
    "SELECT id FROM webhook_delivery WHERE tenant = $1 LIMIT {while_erased}",
);

/// Removes some; answers how many.
pub(super) async fn step(store: &SqlStore, step: Step<'_>) -> StoreResult<u64> {
    let ids = picked(store, &DELIVERIES, step).await?;
    if !ids.is_empty() {
        return remove(store, &ids).await;
    }
    for (pick, removals) in KINDS {
        let ids = picked(store, pick, step).await?;
        if ids.is_empty() {
            continue;
        }
        let list = || bind::uuids(store.dialect(), ids.iter().copied());
        let transaction = begin_upkeep(store.pool()).await?;
        for removal in removals {
            removal.run(&transaction, vec![list()]).await?;
        }
        ATTRIBUTES.run(&transaction, vec![list()]).await?;
        payloads::remove(&transaction, &ids).await?;
        commit(transaction).await?;
        return Ok(ids.len() as u64);
    }
    Ok(0)
}

async fn picked(store: &SqlStore, pick: &Sql, step: Step<'_>) -> StoreResult<Vec<Uuid>> {
    let rows = pick.all(store.pool().read(), step.values()).await?;
    rows.iter().map(|row| Row::new("tenant", row).uuid("id")).collect()
}

// Unfinished work of an erased tenant ends as CANCELLED, without undoing anything: whoever holds a lease of it finds it lost.

// In the order in which everybody locks executions. Index: execution_open.
static OPEN_EXECUTIONS: Sql = Sql::new(
    "open_executions_of_tenant",
    "SELECT id FROM execution WHERE id IN (
       SELECT w.id FROM execution w WHERE w.tenant = $1 AND w.completed_at IS NULL LIMIT {while_erased})
     ORDER BY depth, id {for_update}",
);

static OPEN_JOBS: Sql = Sql::new(
    "open_jobs_of_tenant",
    "SELECT id FROM job WHERE lane IN (SELECT id FROM lane WHERE tenant = $1) LIMIT {while_erased}",
);

/// Ends executions, with the jobs of their nodes. Answers how many.
pub(super) async fn executions(store: &SqlStore, step: Step<'_>, now: Timestamp) -> StoreResult<u64> {
    let mut moves = Moves::none(store);
    let transaction = begin_upkeep(store.pool()).await?;
    let rows = OPEN_EXECUTIONS.all(&transaction, step.values()).await?;
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
    let rows = OPEN_JOBS.all(store.pool().read(), step.values()).await?;
    let ids: Vec<Uuid> =
        rows.iter().map(|row| Row::new("job", row).uuid("id")).collect::<StoreResult<_>>()?;
    if ids.is_empty() {
        return Ok(0);
    }
    let mut moves = Moves::none(store);
    let transaction = begin_upkeep(store.pool()).await?;
    let (_, admitted) = end::cancel(&transaction, store.dialect(), &ids, now).await?;
    moves.revive(admitted);
    moves.bump(&transaction, &[]).await?;
    commit_change(transaction).await?;
    moves.record(store, &[]);
    Ok(ids.len() as u64)
}
