//! Erasing a tenant: begun and ended in one commit each, and carried out a bounded step at a time.

mod history;
mod step;
mod tables;

use async_trait::async_trait;
use domain::id::BatchId;
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::audit::AuditRecord;
use store::batches::BatchRecord;
use store::erasure::{Erasure, ErasureBegun, ErasureStore};
use uuid::Uuid;

use crate::pool::{Pool, commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};
use crate::{SqlStore, audit, batches};
use step::Step;

// The beginning and the end of an erasure, and which there are.

static IS_THERE: Sql = Sql::new("erased_tenant", "SELECT name FROM tenant WHERE name = $1 {for_update}");

static OPEN_JOB: Sql = Sql::new(
    "open_job_of_tenant",
    "SELECT id FROM job WHERE lane IN (SELECT id FROM lane WHERE tenant = $1) LIMIT 1",
);

// Index: execution_open.
static OPEN_EXECUTION: Sql = Sql::new(
    "open_execution_of_tenant",
    "SELECT id FROM execution WHERE tenant = $1 AND completed_at IS NULL LIMIT 1",
);

// One that ended leaves its row to the next.
static BEGIN: Sql = Sql::new(
    "begin_erasure",
    "INSERT INTO tenant_erasure (tenant, batch_id, begun_at) VALUES ($1, $2, $3)
     ON CONFLICT (tenant) DO UPDATE SET batch_id = excluded.batch_id, begun_at = excluded.begun_at, ended_at = NULL
       WHERE tenant_erasure.ended_at IS NOT NULL",
);

static BATCH: Sql = Sql::new("erasure_batch", "SELECT batch_id FROM tenant_erasure WHERE tenant = $1");

static KEYS: Sql = Sql::new("erase_keys", "DELETE FROM api_key WHERE tenant = $1");

static PAUSE: [Sql; 3] = [
    Sql::new(
        "pause_erased_schedules",
        "UPDATE schedule SET is_paused = 1 WHERE tenant = $1 AND is_paused = 0",
    ),
    Sql::new("pause_erased_webhooks", "UPDATE webhook SET is_paused = 1 WHERE tenant = $1 AND is_paused = 0"),
    Sql::new(
        "pause_erased_triggers",
        "UPDATE event_trigger SET is_paused = 1 WHERE tenant = $1 AND is_paused = 0",
    ),
];

static ALL: Sql = Sql::new(
    "erasures",
    "SELECT tenant, batch_id, begun_at, ended_at FROM tenant_erasure WHERE ended_at IS NULL OR ended_at >= $1
     ORDER BY tenant",
);

static END: Sql = Sql::new(
    "end_erasure",
    "UPDATE tenant_erasure SET ended_at = $2 WHERE tenant = $1 AND batch_id = $3 AND ended_at IS NULL",
);

// What is sealed cannot be read by anybody any more, long before its rows are gone. Until then it stays known that nothing of
// the tenant is written in the clear: what comes for it in these seconds is refused.
static DESTROY_KEYS: Sql = Sql::new(
    "destroy_payload_keys",
    "UPDATE payload_key SET key_id = '', sealed = {postgres:CAST('' AS bytea)}{sqlite:x''} WHERE tenant = $1",
);

static FORGET_KEYS: Sql = Sql::new("forget_payload_keys", "DELETE FROM payload_key WHERE tenant = $1");

static FORGET: Sql = Sql::new("forget_tenant", "DELETE FROM tenant WHERE name = $1");

/// `ErasureStore::begin_erasure`.
async fn begin(
    pool: &Pool,
    erasure: &Erasure,
    (batch, owner): (&BatchRecord, Uuid),
    cancels_open: bool,
    lines: &[AuditRecord],
) -> StoreResult<ErasureBegun> {
    let tenant = erasure.tenant.as_str();
    let transaction = pool.begin().await?;
    if let Some(refused) = refused(&transaction, tenant, cancels_open).await? {
        rollback(transaction).await;
        return Ok(refused);
    }
    let values = vec![tenant.into(), erasure.batch.uuid().into(), erasure.begun_at.0.into()];
    if BEGIN.run(&transaction, values).await? == 0 {
        let row = BATCH.first(&transaction, vec![tenant.into()]).await?;
        rollback(transaction).await;
        let batch = row.map(|row| Row::new("tenant_erasure", &row).uuid("batch_id")).transpose()?;
        return Ok(ErasureBegun::UnderWay(batch.map_or(erasure.batch, BatchId::from_uuid)));
    }
    KEYS.run(&transaction, vec![tenant.into()]).await?;
    DESTROY_KEYS.run(&transaction, vec![tenant.into()]).await?;
    for pause in &PAUSE {
        pause.run(&transaction, vec![tenant.into()]).await?;
    }
    batches::create(&transaction, batch, owner).await?;
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit_change(transaction).await?;
    Ok(ErasureBegun::Begun)
}

async fn refused(
    on: &DatabaseTransaction,
    tenant: &str,
    cancels_open: bool,
) -> StoreResult<Option<ErasureBegun>> {
    if IS_THERE.first(on, vec![tenant.into()]).await?.is_none() {
        return Ok(Some(ErasureBegun::Unknown));
    }
    if cancels_open {
        return Ok(None);
    }
    let jobs = OPEN_JOB.first(on, vec![tenant.into()]).await?.is_some();
    let executions = OPEN_EXECUTION.first(on, vec![tenant.into()]).await?.is_some();
    Ok((jobs || executions).then_some(ErasureBegun::InUse { jobs, executions }))
}

/// `ErasureStore::erasures`.
async fn all(pool: &Pool, ended_since: Timestamp) -> StoreResult<Vec<Erasure>> {
    ALL.all(pool.read(), vec![ended_since.0.into()]).await?.iter().map(erasure_of).collect()
}

/// `ErasureStore::end_erasure`.
async fn end(
    pool: &Pool,
    (tenant, batch): (&TenantName, BatchId),
    lines: &[AuditRecord],
    now: Timestamp,
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    let values = vec![tenant.as_str().into(), now.0.into(), batch.uuid().into()];
    if END.run(&transaction, values).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    FORGET_KEYS.run(&transaction, vec![tenant.as_str().into()]).await?;
    FORGET.run(&transaction, vec![tenant.as_str().into()]).await?;
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit_change(transaction).await?;
    Ok(true)
}

fn erasure_of(row: &QueryResult) -> StoreResult<Erasure> {
    let row = Row::new("tenant_erasure", row);
    Ok(Erasure {
        tenant: row.name("tenant", TenantName::trusted)?,
        batch: BatchId::from_uuid(row.uuid("batch_id")?),
        begun_at: row.instant("begun_at")?,
        ended_at: row.instant_or_null("ended_at")?,
    })
}

// The port's operations on erasures, each retried where that is safe.

#[async_trait]
impl ErasureStore for SqlStore {
    async fn begin_erasure(
        &self,
        erasure: &Erasure,
        batch: (&BatchRecord, Uuid),
        cancels_open: bool,
        audit: &[AuditRecord],
    ) -> StoreResult<ErasureBegun> {
        let begun =
            with_retry(RetryBudget::once(), || begin(self.pool(), erasure, batch, cancels_open, audit))
                .await?;
        self.sealer().forget();
        Ok(begun)
    }

    async fn erasures(&self, ended_since: Timestamp) -> StoreResult<Vec<Erasure>> {
        let all = with_retry(RetryBudget::repeatable(), || self::all(self.pool(), ended_since)).await?;
        // The next first use of such a name makes the tenant anew.
        self.memory().forget_tenants(all.iter().map(|erasure| &erasure.tenant));
        Ok(all)
    }

    async fn erase_step(
        &self,
        (tenant, batch): (&TenantName, BatchId),
        limit: u32,
        now: Timestamp,
    ) -> StoreResult<u64> {
        let step = Step { tenant, batch, limit };
        with_retry(RetryBudget::repeatable(), || async {
            let mut gone = history::executions(self, step, now).await?;
            if gone == 0 {
                gone = history::jobs(self, step, now).await?;
            }
            if gone == 0 {
                gone = history::step(self, step).await?;
            }
            if gone == 0 {
                gone = tables::step(self, step).await?;
            }
            Ok(gone)
        })
        .await
    }

    async fn end_erasure(
        &self,
        erasure: (&TenantName, BatchId),
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<bool> {
        let ended = with_retry(RetryBudget::repeatable(), || end(self.pool(), erasure, audit, now)).await?;
        self.sealer().forget();
        Ok(ended)
    }
}

#[cfg(test)]
mod tests;
