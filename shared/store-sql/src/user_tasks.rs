//! User tasks: written by the commits of owners, shown to people.

pub(crate) mod change;

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::ExecutionId;
use domain::names::{NodeId, TenantName};
use domain::time::Timestamp;
use domain::workflow::execution::UserTaskStatus;
use sea_orm::{QueryResult, Value};
use store::StoreResult;
use store::audit::AuditRecord;
use store::user_tasks::{UserTaskRecord, UserTaskRef, UserTaskStore};

use crate::pool::{Pool, commit};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;
use crate::{SqlStore, audit};

// Rows of `user_task`.

/// Reads a row with the columns of `user_task`.
pub(crate) fn record_of(row: &QueryResult) -> StoreResult<UserTaskRecord> {
    let row = Row::new("user_task", row);
    Ok(UserTaskRecord {
        position: row.long("position")?,
        execution_id: ExecutionId::from_uuid(row.uuid("execution_id")?),
        node_id: row.name("node_id", NodeId::trusted)?,
        round: row.count("round")?,
        tenant: row.name("tenant", TenantName::trusted)?,
        workflow: row.workflow()?.ok_or_else(|| row.fault("workflow"))?,
        status: row.parsed("status", UserTaskStatus::parse)?,
        assignee: row.text_or_null("assignee")?,
        group: row.text_or_null("assigned_group")?,
        form: row.text_or_null("form")?,
        input: row.text_or_null("input")?,
        opened_at: row.instant("opened_at")?,
        due_at: row.instant_or_null("due_at")?,
        escalated_at: row.instant_or_null("escalated_at")?,
        closed_at: row.instant_or_null("closed_at")?,
        completed_by: row.text_or_null("completed_by")?,
        claimed_by: row.text_or_null("claimed_by")?,
        claimed_at: row.instant_or_null("claimed_at")?,
    })
}

// Claims of user tasks, each with its lines of the audit log.

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
async fn claim(
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
async fn release(
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

// The port's operations on user tasks, each retried where that is safe.

#[async_trait]
impl UserTaskStore for SqlStore {
    async fn claim_user_task(
        &self,
        task: &UserTaskRef,
        by: &str,
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || claim(self.pool(), task, by, audit, now)).await
    }

    async fn release_user_task(
        &self,
        task: &UserTaskRef,
        by: Option<&str>,
        audit: &[AuditRecord],
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || release(self.pool(), task, by, audit)).await
    }

    async fn user_task(
        &self,
        scope: &TenantScope,
        id: ExecutionId,
        node_id: &NodeId,
    ) -> StoreResult<Option<UserTaskRecord>> {
        let found = with_retry(RetryBudget::repeatable(), || latest(self.pool(), scope, id, node_id)).await?;
        self.opened(found).await
    }
}

// The latest user task of a node.

/// The latest user task of a node: that of its highest round.
async fn latest(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
    node_id: &NodeId,
) -> StoreResult<Option<UserTaskRecord>> {
    let mut select = Select::new("user_task", "SELECT t.* FROM user_task t WHERE true");
    select.with("AND t.execution_id = $?", id.uuid());
    select.with("AND t.node_id = $?", node_id.as_str());
    select.with_some("AND t.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.push("ORDER BY t.round DESC LIMIT 1");
    select.first(pool.read()).await?.as_ref().map(record_of).transpose()
}
