//! Limits that operators set.

use async_trait::async_trait;
use domain::lane::WorkflowRef;
use domain::limits::{LimitOverride, LimitScope};
use domain::names::TenantName;
use domain::queue::QueueName;
use domain::time::Timestamp;
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::limits::{LimitChange, LimitStore};

use crate::claim_row::bump_limits_version;
use crate::pool::commit_change;
use crate::retry::{RetryBudget, with_retry};
use crate::rows::{Row, workflow_columns, workflow_ref};
use crate::sql::Sql;
use crate::store::SqlStore;
use crate::transaction::DatabaseTransaction;

static OVERRIDES: Sql = Sql::new(
    "limit_overrides",
    "SELECT queue, scope, owner, name, max_concurrent FROM queue_limit
     WHERE ($1 < 0 OR queue = $1) ORDER BY queue, scope, owner, name",
);

static SET: Sql = Sql::new(
    "set_limit",
    "INSERT INTO queue_limit (queue, scope, owner, name, max_concurrent, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (queue, scope, owner, name)
     DO UPDATE SET max_concurrent = excluded.max_concurrent, changed_at = excluded.changed_at",
);

static REMOVE: Sql = Sql::new(
    "remove_limit",
    "DELETE FROM queue_limit WHERE queue = $1 AND scope = $2 AND owner = $3 AND name = $4",
);

#[async_trait]
impl LimitStore for SqlStore {
    async fn limit_overrides(&self) -> StoreResult<Vec<LimitOverride>> {
        read(self.pool().read(), -1).await
    }

    async fn change_limits(&self, changes: &[LimitChange], now: Timestamp) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || change(self, changes, now)).await
    }
}

/// The overrides of one queue.
pub(crate) async fn overrides_of<C: ConnectionTrait>(
    on: &C,
    queue: QueueName,
) -> StoreResult<Vec<LimitOverride>> {
    read(on, queue.code()).await
}

async fn read<C: ConnectionTrait>(on: &C, queue: i16) -> StoreResult<Vec<LimitOverride>> {
    let rows = OVERRIDES.all(on, vec![queue.into()]).await?;
    let overrides = rows.iter().map(|row| {
        let row = Row::new("queue_limit", row);
        let (owner, name) = (row.text("owner")?, row.text("name")?);
        let scope = row.parsed("scope", |text| scope_from(text, owner, name))?;
        Ok(LimitOverride {
            queue: row.queue("queue")?,
            scope,
            max_concurrent: row.count_or_null("max_concurrent")?,
        })
    });
    overrides.collect()
}

async fn change(store: &SqlStore, changes: &[LimitChange], now: Timestamp) -> StoreResult<()> {
    let transaction = store.pool().begin().await?;
    for change in changes {
        change_one(&transaction, change, now).await?;
    }
    let queues: Vec<QueueName> = changes.iter().map(|change| change.queue).collect();
    bump_limits_version(&transaction, &queues).await?;
    commit_change(transaction).await
}

async fn change_one(
    transaction: &DatabaseTransaction,
    change: &LimitChange,
    now: Timestamp,
) -> StoreResult<()> {
    let (scope, owner, name) = scope_columns(&change.scope);
    let mut values = vec![change.queue.code().into(), scope.into(), owner.into(), name.into()];
    match change.max_concurrent {
        Some(limit) => {
            values.push(limit.map(|limit| i32::try_from(limit).unwrap_or(i32::MAX)).into());
            values.push(now.0.into());
            SET.run(transaction, values).await?;
        }
        None => {
            REMOVE.run(transaction, values).await?;
        }
    }
    Ok(())
}

fn scope_columns(scope: &LimitScope) -> (&'static str, &str, &str) {
    match scope {
        LimitScope::Global => ("global", "", ""),
        LimitScope::TenantDefault => ("tenant_default", "", ""),
        LimitScope::WorkflowDefault => ("workflow_default", "", ""),
        LimitScope::Tenant(tenant) => ("tenant", "", tenant.as_str()),
        LimitScope::Workflow(workflow) => {
            let (owner, name) = workflow_columns(Some(workflow));
            ("workflow", owner, name)
        }
    }
}

fn scope_from(text: &str, owner: String, name: String) -> Option<LimitScope> {
    let workflow = |owner, name| -> WorkflowRef { workflow_ref(owner, name) };
    match text {
        "global" => Some(LimitScope::Global),
        "tenant_default" => Some(LimitScope::TenantDefault),
        "workflow_default" => Some(LimitScope::WorkflowDefault),
        "tenant" => Some(LimitScope::Tenant(TenantName::trusted(name))),
        "workflow" => Some(LimitScope::Workflow(workflow(owner, name))),
        _ => None,
    }
}
