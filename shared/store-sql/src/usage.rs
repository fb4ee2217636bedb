//! What tenants use, counted when it is asked for, and the quotas that somebody set.

mod history;
mod logs;

use std::sync::atomic::AtomicU64;

use async_trait::async_trait;
use domain::names::TenantName;
use domain::quota::{QuotaKind, WAITING_START_ROW_BYTES};
use domain::time::Timestamp;
use sea_orm::{QueryResult, Value};
use store::StoreResult;
use store::usage::{Measured, QuotaChange, QuotaRecord, UsageStore};

use crate::SqlStore;
use crate::autocommit::AutocommitPool;
use crate::pool::{Pool, commit_change};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use history::{OPEN_EXECUTIONS, used_of};

// Counts and sums. Each reads what belongs to one tenant, from an index where there is one, under the deadline that every
// statement has.

// Unfinished jobs only: the table is as large as the backlog of all.
static OPEN_JOBS: Sql = Sql::new(
    "measure_open_jobs",
    "SELECT COUNT(*) AS used FROM job WHERE lane IN (SELECT id FROM lane WHERE tenant = $1)",
);

// What is kept beside the row has its length in the reference: `@` and the number.
static PAYLOAD_BYTES: Sql = Sql::new(
    "measure_payload_bytes",
    "SELECT CAST(
       (SELECT COALESCE(SUM(CASE WHEN substr(data, 1, 1) = '@' THEN CAST(substr(data, 2) AS bigint)
                                 ELSE octet_length(data) END), 0)
        FROM job WHERE lane IN (SELECT id FROM lane WHERE tenant = $1))
       + (SELECT COALESCE(SUM(octet_length(input)), 0)
          FROM execution WHERE tenant = $1 AND completed_at IS NULL) AS bigint) AS used",
);

// Index: webhook_delivery_bytes, alone. A duplicate has no body. $2 what a row counts beside its body
static TENANT_DELIVERIES: Sql = Sql::new(
    "measure_tenant_deliveries",
    "SELECT CAST(COALESCE(SUM(CASE WHEN status = 'duplicate' THEN 0 ELSE body_bytes END), 0) + COUNT(*) * $2 AS bigint)
       AS used
     FROM webhook_delivery WHERE tenant = $1",
);

static WEBHOOK_DELIVERIES: Sql = Sql::new(
    "measure_webhook_deliveries",
    "SELECT CAST(COALESCE(SUM(CASE WHEN status = 'duplicate' THEN 0 ELSE body_bytes END), 0) + COUNT(*) * $3 AS bigint)
       AS used
     FROM webhook_delivery WHERE tenant = $1 AND webhook_id = $2",
);

static ALL_DELIVERIES: Sql = Sql::new(
    "measure_all_deliveries",
    "SELECT CAST(COALESCE(SUM(CASE WHEN status = 'duplicate' THEN 0 ELSE body_bytes END), 0) + COUNT(*) * $1 AS bigint)
       AS used
     FROM webhook_delivery",
);

// Index: put_off_start_tenant. `bytes` are those of entries, which are rows of their own. $2 what a row counts beside that
static WAITING_STARTS: Sql = Sql::new(
    "measure_waiting_starts",
    "SELECT CAST(COALESCE(SUM(octet_length(request) + bytes), 0) + COUNT(*) * $2 AS bigint) AS used
     FROM put_off_start WHERE tenant = $1",
);

// The keys of a tenant's API keys are below its name. Compared as text of that length, in whatever order text is sorted.
static TENANT_IDEMPOTENCY: Sql = Sql::new(
    "measure_tenant_idempotency",
    "SELECT COUNT(*) AS used FROM idempotency WHERE owner = $1 OR substr(owner, 1, length($1) + 1) = $1 || '/'",
);

static OWNER_IDEMPOTENCY: Sql =
    Sql::new("measure_owner_idempotency", "SELECT COUNT(*) AS used FROM idempotency WHERE owner = $1");

// What people make: nothing removes it by itself, so that the counts have ends. As far as `QuotaKind::largest` says, and one more.

// Index: the key.
static WORKFLOW_VERSIONS: Sql = Sql::new(
    "measure_workflow_versions",
    "SELECT COUNT(*) AS used FROM (SELECT version FROM workflow WHERE owner = $1 LIMIT 1000001) c",
);

// Index: schedule_tenant.
static SCHEDULES: Sql = Sql::new(
    "measure_schedules",
    "SELECT COUNT(*) AS used FROM (SELECT id FROM schedule WHERE tenant = $1 LIMIT 1000001) c",
);

// Index: webhook_tenant.
static WEBHOOKS: Sql = Sql::new(
    "measure_webhooks",
    "SELECT COUNT(*) AS used FROM (SELECT id FROM webhook WHERE tenant = $1 LIMIT 1000001) c",
);

// Index: api_key_tenant.
static API_KEYS: Sql = Sql::new(
    "measure_api_keys",
    "SELECT COUNT(*) AS used FROM (SELECT id FROM api_key WHERE tenant = $1 LIMIT 1000001) c",
);

// Indexes: the same. Lengths are known without the texts.
static DEFINITION_BYTES: Sql = Sql::new(
    "measure_definition_bytes",
    "SELECT CAST(
       (SELECT COALESCE(SUM(bytes), 0) FROM (
          SELECT octet_length(content) AS bytes FROM workflow WHERE owner = $1 LIMIT 1000001) w)
       + (SELECT COALESCE(SUM(bytes), 0) FROM (
          SELECT octet_length(source) AS bytes FROM workflow_source WHERE owner = $1 LIMIT 1000001) p)
       + (SELECT COALESCE(SUM(bytes), 0) FROM (
          SELECT octet_length(input) AS bytes FROM schedule WHERE tenant = $1 LIMIT 1000001) s)
       + (SELECT COALESCE(SUM(bytes), 0) FROM (
          SELECT octet_length(config) AS bytes FROM webhook WHERE tenant = $1 LIMIT 1000001) e) AS bigint) AS used",
);

static HAS_IDEMPOTENCY_KEY: Sql =
    Sql::new("has_idempotency_key", "SELECT COUNT(*) AS used FROM idempotency WHERE owner = $1 AND key = $2");

/// What the row of a delivery counts beside its body: headers, address, entries of indexes.
const DELIVERY_ROW_BYTES: i64 = 4 * 1024;

/// Counts or sums, on these connections.
async fn measure(pool: &Pool, on: &AutocommitPool, what: &Measured) -> StoreResult<u64> {
    let row_bytes = || Value::from(DELIVERY_ROW_BYTES);
    match what {
        Measured::Tenant(tenant, kind) => {
            let mut values = vec![tenant.as_str().into()];
            let statement = match kind {
                QuotaKind::OpenJobs => &OPEN_JOBS,
                QuotaKind::OpenExecutions => &OPEN_EXECUTIONS,
                QuotaKind::PayloadBytes => &PAYLOAD_BYTES,
                // As much as there is: claims do not wait for such a connection.
                QuotaKind::HistoryRows => return history::count(pool, tenant, &AtomicU64::new(0)).await,
                QuotaKind::DeliveryBytes => {
                    values.push(row_bytes());
                    &TENANT_DELIVERIES
                }
                QuotaKind::IdempotencyKeys => &TENANT_IDEMPOTENCY,
                QuotaKind::WorkflowVersions => &WORKFLOW_VERSIONS,
                QuotaKind::Schedules => &SCHEDULES,
                QuotaKind::Webhooks => &WEBHOOKS,
                QuotaKind::ApiKeys => &API_KEYS,
                QuotaKind::DefinitionBytes => &DEFINITION_BYTES,
                QuotaKind::LogBytes => return logs::sum(pool, tenant, &AtomicU64::new(0)).await,
                QuotaKind::WaitingStartBytes => {
                    values.push(Value::from(WAITING_START_ROW_BYTES.cast_signed()));
                    &WAITING_STARTS
                }
            };
            used(on, statement, values).await
        }
        Measured::Webhook(tenant, id) => {
            let values = vec![tenant.as_str().into(), id.uuid().into(), row_bytes()];
            used(on, &WEBHOOK_DELIVERIES, values).await
        }
        Measured::AllDeliveries => used(on, &ALL_DELIVERIES, vec![row_bytes()]).await,
        Measured::IdempotencyOwner(owner) => used(on, &OWNER_IDEMPOTENCY, vec![owner.as_str().into()]).await,
    }
}

/// Whether there is a row under a key.
async fn has_idempotency_key(pool: &Pool, owner: &str, key: &str) -> StoreResult<bool> {
    Ok(used(pool.read(), &HAS_IDEMPOTENCY_KEY, vec![owner.into(), key.into()]).await? > 0)
}

async fn used(on: &AutocommitPool, statement: &'static Sql, values: Vec<Value>) -> StoreResult<u64> {
    used_of(statement.first(on, values).await?)
}

// Quotas that somebody set. There are as many as somebody cared to set.

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
async fn all(pool: &Pool) -> StoreResult<Vec<QuotaRecord>> {
    ALL.all(pool.read(), Vec::new()).await?.iter().filter_map(|row| quota_of(row).transpose()).collect()
}

/// Changes those of one tenant, in one commit.
async fn change(
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

/// The quota in a row; `None` for one of a newer version, which this one does not count.
fn quota_of(row: &QueryResult) -> StoreResult<Option<QuotaRecord>> {
    let row = Row::new("tenant_quota", row);
    let Some(kind) = QuotaKind::parse(&row.text("name")?) else {
        return Ok(None);
    };
    let quota = row.long_or_null("quota")?;
    Ok(Some(QuotaRecord {
        tenant: row.name("tenant", TenantName::trusted)?,
        kind,
        quota: quota.map(|quota| u64::try_from(quota).unwrap_or_default()),
    }))
}

// The port's operations on usage, each retried where that is safe.

#[async_trait]
impl UsageStore for SqlStore {
    async fn measure(&self, what: &Measured) -> StoreResult<u64> {
        measure(self.pool(), self.pool().read(), what).await
    }

    async fn shown_usage(&self, tenant: &TenantName, kind: QuotaKind) -> StoreResult<u64> {
        let what = Measured::Tenant(tenant.clone(), kind);
        measure(self.pool(), self.pool().lists(), &what).await
    }

    async fn count_history(&self, tenant: &TenantName, so_far: &AtomicU64) -> StoreResult<u64> {
        history::count(self.pool(), tenant, so_far).await
    }

    async fn sum_log_bytes(&self, tenant: &TenantName, so_far: &AtomicU64) -> StoreResult<u64> {
        logs::sum(self.pool(), tenant, so_far).await
    }

    async fn quotas(&self) -> StoreResult<Vec<QuotaRecord>> {
        with_retry(RetryBudget::repeatable(), || all(self.pool())).await
    }

    async fn change_quotas(
        &self,
        tenant: &TenantName,
        changes: &[QuotaChange],
        now: Timestamp,
    ) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || change(self.pool(), tenant, changes, now)).await
    }

    async fn has_idempotency_key(&self, owner: &str, key: &str) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || has_idempotency_key(self.pool(), owner, key)).await
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::ConnectionTrait as _;

    use super::*;
    use crate::jobs::plans::{open_empty, plan};

    #[tokio::test]
    async fn a_quota_of_a_newer_version_is_passed_over() {
        let store = open_empty("sqlite::memory:".to_owned()).await;
        let rows = "INSERT INTO tenant_quota (tenant, name, quota, changed_at)
            VALUES ('a', 'openJobs', 7, 0), ('a', 'thingsToCome', 1, 0)";
        store.pool().write().execute_unprepared(rows).await.expect("the statement is valid");
        let quotas = store.quotas().await.expect("quotas can be read");
        assert_eq!(
            quotas.iter().map(|quota| (quota.kind, quota.quota)).collect::<Vec<_>>(),
            [(QuotaKind::OpenJobs, Some(7))]
        );
    }

    #[tokio::test]
    async fn what_people_make_is_counted_by_indexes() {
        let store = open_empty("sqlite::memory:".to_owned()).await;
        for (statement, index) in
            [(&SCHEDULES, "schedule_tenant"), (&WEBHOOKS, "webhook_tenant"), (&API_KEYS, "api_key_tenant")]
        {
            let plan = plan(&store, statement, vec!["a".into()]).await;
            assert!(plan.contains(&format!("INDEX {index} ")), "{}:\n{plan}", statement.name());
        }
        let bytes = plan(&store, &DEFINITION_BYTES, vec!["a".into()]).await;
        for table in ["workflow", "workflow_source", "schedule", "webhook"] {
            assert!(bytes.contains(&format!("SEARCH {table} USING ")), "{table}:\n{bytes}");
        }
        let waiting = plan(&store, &WAITING_STARTS, vec!["a".into(), 1_i64.into()]).await;
        assert!(waiting.contains("INDEX put_off_start_tenant "), "{waiting}");
        let limit = format!("LIMIT {})", QuotaKind::Schedules.largest() + 1);
        for statement in [&WORKFLOW_VERSIONS, &SCHEDULES, &WEBHOOKS, &API_KEYS, &DEFINITION_BYTES] {
            assert!(statement.text(crate::dialect::Dialect::Sqlite).contains(&limit), "{}", statement.name());
        }
    }
}
