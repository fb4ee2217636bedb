//! Job types that are pinned to builds of workers.

use async_trait::async_trait;
use domain::build::{BuildPin, PinSource, pins_of_tenant_max};
use domain::names::{CallerKey, JobType, TenantName};
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use sea_orm::ConnectionTrait;
use store::StoreResult;
use store::builds::{BuildStore, WorkerPins};

use crate::bind::{self, Cell};
use crate::claim_row::bump_limits_version;
use crate::pool::{commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::store::SqlStore;

// A pin that was removed has no builds: until when says that workers which began before do not pin again.
static ALL: Sql = Sql::new(
    "build_pins",
    "SELECT tenant, job_type, builds, source, since FROM build_pin WHERE builds <> '[]' ORDER BY job_type, tenant",
);

// One more than there may be is not inserted. $6 how many there may be, $7 how many of a tenant
static SET: Sql = Sql::new(
    "set_build_pin",
    "INSERT INTO build_pin (tenant, job_type, builds, source, since)
     SELECT $1, $2, $3, $4, $5
     WHERE (SELECT count(*) FROM build_pin p WHERE (p.tenant <> $1 OR p.job_type <> $2) AND p.builds <> '[]') < $6
       AND ((SELECT count(*) FROM build_pin p WHERE p.tenant = $1 AND p.tenant <> '' AND p.builds <> '[]') < $7
            OR EXISTS (SELECT 1 FROM build_pin p WHERE p.tenant = $1 AND p.job_type = $2 AND p.builds <> '[]'))
     ON CONFLICT (tenant, job_type) DO UPDATE
     SET builds = excluded.builds, source = excluded.source, since = excluded.since",
);

// When the worker was first seen with its build. $1 tenant, $2 worker, $3 build
static BEGAN: Sql =
    Sql::new("worker_began", "SELECT first_seen_at FROM worker WHERE tenant = $1 AND id = $2 AND build = $3");

// $1 how many there may be, $2 how many of a tenant
static SET_BY_WORKER: Sql = Sql::new(
    "set_build_pins_of_worker",
    "INSERT INTO build_pin (tenant, job_type, builds, source, since)
     SELECT r.tenant, r.job_type, r.builds, 'worker', r.since
     FROM {rows $3: tenant text, job_type text, builds text, since bigint} r
     WHERE ((SELECT count(*) FROM build_pin p WHERE p.builds <> '[]') < $1
            AND (SELECT count(*) FROM build_pin p
                 WHERE p.tenant = r.tenant AND p.tenant <> '' AND p.builds <> '[]') < $2)
        OR EXISTS (SELECT 1 FROM build_pin p
            WHERE p.tenant = r.tenant AND p.job_type = r.job_type AND p.builds <> '[]')
     ON CONFLICT (tenant, job_type) DO UPDATE SET builds = excluded.builds, since = excluded.since
     WHERE build_pin.source = 'worker' AND build_pin.since < excluded.since AND build_pin.builds <> excluded.builds
     RETURNING job_type",
);

// $3 now
static REMOVE: Sql = Sql::new(
    "remove_build_pin",
    "UPDATE build_pin SET builds = '[]', source = 'worker', since = $3
     WHERE tenant = $1 AND job_type = $2 AND builds <> '[]'",
);

static FORGET: Sql =
    Sql::new("forget_removed_build_pins", "DELETE FROM build_pin WHERE builds = '[]' AND since < $1");

/// For so long it is known that a pin was removed. A worker that is there for longer may pin again.
const REMOVED_KEPT: DurationMs = DurationMs::from_secs(30 * 24 * 3_600);

/// The tenant of pins for all.
const ALL_TENANTS: &str = "";

#[async_trait]
impl BuildStore for SqlStore {
    async fn build_pins(&self) -> StoreResult<Vec<BuildPin>> {
        pins_of(self.pool().read()).await
    }

    async fn set_build_pin(&self, pin: &BuildPin, pins_max: u32) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || set(self, pin, pins_max)).await
    }

    async fn remove_build_pin(
        &self,
        tenant: Option<&TenantName>,
        job_type: &JobType,
        now: Timestamp,
    ) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || remove(self, tenant, job_type, now)).await
    }

    async fn pin_by_worker(
        &self,
        pins: &WorkerPins,
        pins_max: u32,
        now: Timestamp,
    ) -> StoreResult<Vec<JobType>> {
        with_retry(RetryBudget::repeatable(), || set_by_worker(self, pins, pins_max, now)).await
    }
}

/// All pins. Within the claim's transaction, after its lock, those of the version that it read.
pub(crate) async fn pins_of<C: ConnectionTrait>(on: &C) -> StoreResult<Vec<BuildPin>> {
    let rows = ALL.all(on, vec![]).await?;
    let pins = rows.iter().map(|row| {
        let row = Row::new("build_pin", row);
        let tenant = row.text("tenant")?;
        Ok(BuildPin {
            tenant: (tenant != ALL_TENANTS).then(|| TenantName::trusted(tenant)),
            job_type: row.name("job_type", JobType::trusted)?,
            builds: row.json_or_null("builds")?.ok_or_else(|| row.fault("builds"))?,
            source: row.parsed("source", PinSource::parse)?,
            since: row.instant("since")?,
        })
    });
    pins.collect()
}

async fn set(store: &SqlStore, pin: &BuildPin, pins_max: u32) -> StoreResult<bool> {
    let transaction = store.pool().begin().await?;
    let values = vec![
        column(pin.tenant.as_ref()).into(),
        pin.job_type.as_str().into(),
        builds_text(&pin.builds).into(),
        pin.source.as_str().into(),
        pin.since.0.into(),
        i64::from(pins_max).into(),
        i64::from(pins_of_tenant_max(pins_max)).into(),
    ];
    if SET.run(&transaction, values).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    bump_limits_version(&transaction, &[QueueName::Node]).await?;
    commit_change(transaction).await?;
    Ok(true)
}

async fn remove(
    store: &SqlStore,
    tenant: Option<&TenantName>,
    job_type: &JobType,
    now: Timestamp,
) -> StoreResult<bool> {
    let transaction = store.pool().begin().await?;
    let values = vec![column(tenant).into(), job_type.as_str().into(), now.0.into()];
    if REMOVE.run(&transaction, values).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    FORGET.run(&transaction, vec![now.minus(REMOVED_KEPT).0.into()]).await?;
    bump_limits_version(&transaction, &[QueueName::Node]).await?;
    commit_change(transaction).await?;
    Ok(true)
}

async fn set_by_worker(
    store: &SqlStore,
    pins: &WorkerPins,
    pins_max: u32,
    now: Timestamp,
) -> StoreResult<Vec<JobType>> {
    let tenant = column(pins.tenant.as_ref());
    let transaction = store.pool().begin().await?;
    let asked = vec![tenant.into(), pins.worker_id.as_str().into(), pins.build.as_str().into()];
    let began = BEGAN.first(&transaction, asked).await?;
    let began = began.map(|row| Row::new("worker", &row).instant("first_seen_at")).transpose()?;
    let since = began.map_or(now, |at| at.min(now));
    let builds = builds_text(&pins.builds);
    let cells = pins.job_types.iter().map(|job_type| {
        [Cell::Text(tenant), Cell::Text(job_type.as_str()), Cell::Text(&builds), Cell::Long(since.0)]
    });
    let mut values = vec![i64::from(pins_max).into(), i64::from(pins_of_tenant_max(pins_max)).into()];
    values.extend(bind::rows(store.dialect(), cells));
    let rows = SET_BY_WORKER.all(&transaction, values).await?;
    if rows.is_empty() {
        rollback(transaction).await;
        return Ok(Vec::new());
    }
    let changed = rows.iter().map(|row| Row::new("build_pin", row).name("job_type", JobType::trusted));
    let changed = changed.collect::<StoreResult<_>>()?;
    bump_limits_version(&transaction, &[QueueName::Node]).await?;
    commit_change(transaction).await?;
    Ok(changed)
}

fn column(tenant: Option<&TenantName>) -> &str {
    tenant.map_or(ALL_TENANTS, TenantName::as_str)
}

fn builds_text(builds: &[CallerKey]) -> String {
    serde_json::to_string(builds).expect("names are strings")
}
