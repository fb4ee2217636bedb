//! The intake: what applications commit by the functions of `trunkline sql install`, for the server to take.
//!
//! The functions are PostgreSQL's and are made by `install`; the tables and what reads them are the same on both databases.
//! `outbox` is for applications on another database, which keep the calls in a table of their own.

mod install;
mod outbox;

use async_trait::async_trait;
use domain::names::TenantName;
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::intake::{
    IntakeBounds, IntakeKind, IntakeLease, IntakeOverQuota, IntakeRefusal, IntakeRow, IntakeStore,
};
use uuid::Uuid;

use crate::pool::{Pool, commit, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::{SqlStore, bind};

pub use install::{
    InstalledIntake, IntakeInstall, IntakeRole, IntakeSchema, RefusedIntake, RoleTenant, UnusableName,
};
pub use outbox::{Outbox, OutboxKind, OutboxRefusal, OutboxRow, OutboxStatus, OutboxStep, RefusedOutbox};

// Rows of the intake.

/// Reads a row of `intake`.
fn intake_of(row: &QueryResult) -> StoreResult<IntakeRow> {
    let row = Row::new("intake", row);
    Ok(IntakeRow {
        id: row.long("id")?,
        kind: row.parsed("kind", IntakeKind::parse)?,
        subject: row.uuid("subject")?,
        target: row.uuid_or_null("target")?,
        tenant: row.name("tenant", TenantName::trusted)?,
        role: row.text("role")?,
        name: row.text("name")?,
        options: row.text("options")?,
        data: row.text("data")?,
        created_at: row.instant("created_at")?,
    })
}

/// Reads a row of `intake_over_quota`.
fn over_quota_of(row: &QueryResult) -> StoreResult<IntakeOverQuota> {
    let row = Row::new("intake_over_quota", row);
    Ok(IntakeOverQuota {
        tenant: row.name("tenant", TenantName::trusted)?,
        quota: row.text("quota")?,
        used: row.long("used")?.unsigned_abs(),
        limit: row.long("quota_limit")?.unsigned_abs(),
    })
}

// Reading and settling rows of the intake.

// In the order of commits. Index: intake_position. The payloads of rows beyond the bound are not sent.
static READ: Sql = Sql::new(
    "read_intake",
    "SELECT b.id, b.kind, b.subject, b.target, b.tenant, b.role, b.name, b.options, b.data, b.created_at
     FROM (SELECT i.*, sum(i.bytes) OVER (ORDER BY i.position, i.id) AS bytes_so_far
           FROM (SELECT *, {postgres:octet_length(data)}{sqlite:length(data)} AS bytes
                 FROM intake WHERE refused_at IS NULL AND NOT (tenant {any $3 text}) ORDER BY position LIMIT $1) i) b
     WHERE b.bytes_so_far - b.bytes < $2
     ORDER BY b.position, b.id",
);

static LEASE: Sql = Sql::new(
    "lease_intake",
    "UPDATE intake_lease SET holder = $1, lease_until = $2, payload_bytes_max = $4
     WHERE id = 1 AND (holder = $1 OR holder IS NULL OR lease_until <= $3)",
);

static LEASED: Sql = Sql::new("intake_lease", "SELECT lease_until FROM intake_lease WHERE id = 1");

static HOLDS: Sql =
    Sql::new("hold_intake", "SELECT id FROM intake_lease WHERE id = 1 AND holder = $1 {for_update}");

static TAKEN: Sql = Sql::new("take_intake", "DELETE FROM intake WHERE id {any $1 bigint}");

static REFUSED: Sql =
    Sql::new("refuse_intake", "UPDATE intake SET refused_at = $2, refusal = $3 WHERE id = $1");

static CLOSE: Sql = Sql::new(
    "close_intake",
    "INSERT INTO intake_over_quota (tenant, quota, used, quota_limit) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant, quota) DO UPDATE SET used = excluded.used, quota_limit = excluded.quota_limit",
);

static REOPEN: Sql =
    Sql::new("reopen_intake", "DELETE FROM intake_over_quota WHERE tenant = $1 AND quota = $2");

static CLOSED: Sql =
    Sql::new("closed_intakes", "SELECT * FROM intake_over_quota ORDER BY tenant, quota LIMIT 1000");

/// The first rows that nobody has taken.
async fn read(pool: &Pool, bounds: IntakeBounds, without: &[TenantName]) -> StoreResult<Vec<IntakeRow>> {
    let without = bind::texts(pool.dialect(), without.iter().map(TenantName::as_str));
    let values = vec![i64::from(bounds.rows_max).into(), bounds.bytes_max.cast_signed().into(), without];
    READ.all(pool.read(), values).await?.iter().map(intake_of).collect()
}

/// Takes or renews the lease; answers until when somebody else has it.
async fn lease(pool: &Pool, lease: &IntakeLease, now: Timestamp) -> StoreResult<Option<Timestamp>> {
    let bytes_max = lease.payload_bytes_max.cast_signed();
    let values = vec![lease.holder.into(), lease.until.0.into(), now.0.into(), bytes_max.into()];
    if LEASE.run(pool.write(), values).await? > 0 {
        return Ok(None);
    }
    let row = LEASED.first(pool.read(), vec![]).await?;
    row.map_or(Ok(Some(now)), |row| Row::new("intake_lease", &row).instant("lease_until").map(Some))
}

/// Settles rows under the lease, which is locked meanwhile: whoever takes it over reads what is left.
async fn settle(
    pool: &Pool,
    holder: Uuid,
    taken: &[i64],
    refused: &[IntakeRefusal],
    now: Timestamp,
) -> StoreResult<bool> {
    let transaction = pool.begin().await?;
    if HOLDS.first(&transaction, vec![holder.into()]).await?.is_none() {
        rollback(transaction).await;
        return Ok(false);
    }
    if !taken.is_empty() {
        TAKEN.run(&transaction, vec![bind::longs(pool.dialect(), taken.iter().copied())]).await?;
    }
    for refusal in refused {
        let values = vec![refusal.id.into(), now.0.into(), refusal.reason.as_str().into()];
        REFUSED.run(&transaction, values).await?;
    }
    commit(transaction).await?;
    Ok(true)
}

/// Records that a tenant is over a quota.
async fn close(pool: &Pool, over: &IntakeOverQuota) -> StoreResult<()> {
    let values = vec![
        over.tenant.as_str().into(),
        over.quota.as_str().into(),
        over.used.cast_signed().into(),
        over.limit.cast_signed().into(),
    ];
    CLOSE.run(pool.write(), values).await.map(|_| ())
}

/// Records that it is not any more.
async fn reopen(pool: &Pool, tenant: &TenantName, quota: &str) -> StoreResult<()> {
    REOPEN.run(pool.write(), vec![tenant.as_str().into(), quota.into()]).await.map(|_| ())
}

/// The tenants that are over a quota.
async fn closed(pool: &Pool) -> StoreResult<Vec<IntakeOverQuota>> {
    CLOSED.all(pool.read(), vec![]).await?.iter().map(over_quota_of).collect()
}

// The port's operations on the intake, each retried where that is safe.

#[async_trait]
impl IntakeStore for SqlStore {
    fn has_intake(&self) -> bool {
        self.is_postgres()
    }

    async fn read_intake(&self, bounds: IntakeBounds, without: &[TenantName]) -> StoreResult<Vec<IntakeRow>> {
        with_retry(RetryBudget::repeatable(), || read(self.pool(), bounds, without)).await
    }

    async fn lease_intake(&self, lease: &IntakeLease, now: Timestamp) -> StoreResult<Option<Timestamp>> {
        with_retry(RetryBudget::repeatable(), || self::lease(self.pool(), lease, now)).await
    }

    async fn settle_intake(
        &self,
        holder: Uuid,
        taken: &[i64],
        refused: &[IntakeRefusal],
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || settle(self.pool(), holder, taken, refused, now)).await
    }

    async fn close_intake(&self, over: &IntakeOverQuota) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || close(self.pool(), over)).await
    }

    async fn reopen_intake(&self, tenant: &TenantName, quota: &str) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || reopen(self.pool(), tenant, quota)).await
    }

    async fn closed_intakes(&self) -> StoreResult<Vec<IntakeOverQuota>> {
        with_retry(RetryBudget::repeatable(), || closed(self.pool())).await
    }
}
