//! Quotas that somebody set. There are as many as somebody cared to set.

use domain::names::TenantName;
use domain::quota::QuotaKind;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::usage::{QuotaChange, QuotaRecord};

use crate::pool::{Pool, commit_change};
use crate::rows::Row;
use crate::sql::Sql;

static ALL: Sql =
    Sql::new("tenant_quotas", "SELECT tenant, name, quota FROM tenant_quota ORDER BY tenant, name");

static SET: Sql = Sql::new(
    "set_tenant_quota",
    "INSERT INTO tenant_quota (tenant, name, quota, changed_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant, name) DO UPDATE SET quota = excluded.quota, changed_at = excluded.changed_at",
);

static REMOVE: Sql =
    Sql::new("remove_tenant_quota", "DELETE FROM tenant_quota WHERE tenant = $1 AND name = $2");

/// All of them.
pub(super) async fn all(pool: &Pool) -> StoreResult<Vec<QuotaRecord>> {
    ALL.all(pool.read(), Vec::new()).await?.iter().map(quota_of).collect()
}

/// Changes those of one tenant, in one commit.
pub(super) async fn change(
    pool: &Pool,
    tenant: &TenantName,
    changes: &[QuotaChange],
    now: Timestamp,
) -> StoreResult<()> {
    let transaction = pool.begin().await?;
    for change in changes {
        let (tenant, name) = (tenant.as_str(), change.kind.as_str());
        match change.quota {
            Some(quota) => {
                let quota = quota.map(|quota| i64::try_from(quota).unwrap_or(i64::MAX));
                SET.run(&transaction, vec![tenant.into(), name.into(), quota.into(), now.0.into()]).await?;
            }
            None => {
                REMOVE.run(&transaction, vec![tenant.into(), name.into()]).await?;
            }
        }
    }
    commit_change(transaction).await
}

fn quota_of(row: &QueryResult) -> StoreResult<QuotaRecord> {
    let row = Row::new("tenant_quota", row);
    let quota = row.long_or_null("quota")?;
    Ok(QuotaRecord {
        tenant: row.name("tenant", TenantName::trusted)?,
        kind: row.parsed("name", QuotaKind::parse)?,
        quota: quota.map(|quota| u64::try_from(quota).unwrap_or_default()),
    })
}
