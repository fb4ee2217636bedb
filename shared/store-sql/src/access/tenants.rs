//! Tenants: made by hand or on their first use.

use domain::access::TenantScope;
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::access::TenantRecord;

use crate::pool::{Pool, commit_change, rollback};
use crate::rows::Row;
use crate::select::Select;
use crate::sql::Sql;

static CREATE: Sql =
    Sql::new("create_tenant", "INSERT INTO tenant (name, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING");

/// Makes a tenant; answers whether it is new.
pub(super) async fn create(pool: &Pool, name: &TenantName, now: Timestamp) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    if CREATE.run(&transaction, vec![name.as_str().into(), now.0.into()]).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    commit_change(transaction).await?;
    Ok(true)
}

/// Tenants by name. Names sort by their bytes on both databases, whatever the locale of the server.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    after: Option<&str>,
    limit: u32,
) -> StoreResult<Vec<TenantRecord>> {
    let mut select = Select::new("list_tenants", "SELECT name, created_at FROM tenant WHERE true");
    select.with_some("AND name = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND name {postgres:COLLATE \"C\"} > $?", after);
    select.with("ORDER BY name {postgres:COLLATE \"C\"} LIMIT $?", i64::from(limit));
    select.all(pool.lists()).await?.iter().map(tenant_of).collect()
}

fn tenant_of(row: &QueryResult) -> StoreResult<TenantRecord> {
    let row = Row::new("tenant", row);
    Ok(TenantRecord { name: row.name("name", TenantName::trusted)?, created_at: row.instant("created_at")? })
}
