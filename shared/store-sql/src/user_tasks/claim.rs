//! Claims of user tasks, each with its lines of the audit log.

use domain::time::Timestamp;
use sea_orm::Value;
use store::StoreResult;
use store::audit::AuditRecord;
use store::user_tasks::UserTaskRef;

use crate::audit;
use crate::pool::{Pool, commit};
use crate::sql::Sql;

// A repeat by the same one keeps the first instant.
static CLAIM: Sql = Sql::new(
    "claim_user_task",
    "UPDATE user_task SET claimed_by = $4, claimed_at = COALESCE(claimed_at, $5)
     WHERE execution_id = $1 AND node_id = $2 AND round = $3 AND status = 'open'
       AND (claimed_by IS NULL OR claimed_by = $4)",
);

static RELEASE: Sql = Sql::new(
    "release_user_task",
    "UPDATE user_task SET claimed_by = NULL, claimed_at = NULL
     WHERE execution_id = $1 AND node_id = $2 AND round = $3 AND status = 'open'
       AND (claimed_by IS NULL OR $4 IS NULL OR claimed_by = $4)",
);

/// Claims a task; answers whether it is theirs.
pub(super) async fn claim(
    pool: &Pool,
    task: &UserTaskRef,
    by: &str,
    lines: &[AuditRecord],
    now: Timestamp,
) -> StoreResult<bool> {
    let mut values = place_of(task);
    values.extend([by.into(), now.0.into()]);
    change(pool, &CLAIM, values, lines).await
}

/// Takes a claim off; answers whether nobody has it.
pub(super) async fn release(
    pool: &Pool,
    task: &UserTaskRef,
    by: Option<&str>,
    lines: &[AuditRecord],
) -> StoreResult<bool> {
    let mut values = place_of(task);
    values.push(by.into());
    change(pool, &RELEASE, values, lines).await
}

fn place_of(task: &UserTaskRef) -> Vec<Value> {
    let round = i32::try_from(task.round).unwrap_or(i32::MAX);
    vec![task.execution_id.uuid().into(), task.node_id.as_str().into(), round.into()]
}

async fn change(pool: &Pool, sql: &Sql, values: Vec<Value>, lines: &[AuditRecord]) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let is_changed = sql.run(&transaction, values).await? > 0;
    if is_changed {
        audit::append(&transaction, pool.dialect(), lines).await?;
    }
    commit(transaction).await?;
    Ok(is_changed)
}
