//! Limits and rates that operators set.

use std::collections::HashSet;

use async_trait::async_trait;
use domain::limits::{LimitOverride, LimitScope};
use domain::names::{JobType, TenantName};
use domain::queue::{QueueName, WorkflowRef};
use domain::rate::{KeyRate, RateOverride, RateScope};
use domain::time::Timestamp;
use sea_orm::{ConnectionTrait, Value};
use store::StoreResult;
use store::limits::{LimitChange, LimitStore, RateChange};

use crate::bind;
use crate::claim_row::bump_limits_version;
use crate::dialect::Dialect;
use crate::pool::{commit_change, rollback};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::{Row, workflow_columns, workflow_ref};
use crate::sql::{DatabaseTransaction, Sql};
use crate::store::SqlStore;

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

// Rates, and limits of job types.
static START_LIMITS: Sql = Sql::new(
    "start_limits",
    "SELECT queue, scope, owner, name, rate, max_concurrent FROM start_limit
     WHERE ($1 < 0 OR queue = $1) ORDER BY queue, scope, owner, name",
);

// $3 tenants
static KEY_RATES: Sql = Sql::new(
    "key_rates",
    "SELECT queue, scope, owner, name, rate, max_concurrent FROM start_limit
     WHERE queue = $1 AND scope = $2 AND owner {any $3 text}",
);

static SET_RATE: Sql = Sql::new(
    "set_rate",
    "INSERT INTO start_limit (queue, scope, owner, name, rate, changed_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (queue, scope, owner, name) DO UPDATE SET rate = excluded.rate, changed_at = excluded.changed_at",
);

static SET_TYPE: Sql = Sql::new(
    "set_job_type_limit",
    "INSERT INTO start_limit (queue, scope, owner, name, max_concurrent, changed_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (queue, scope, owner, name)
     DO UPDATE SET max_concurrent = excluded.max_concurrent, changed_at = excluded.changed_at",
);

static DROP_UNSET: Sql = Sql::new(
    "drop_unset_start_limits",
    "DELETE FROM start_limit WHERE rate IS NULL AND max_concurrent IS NULL",
);

// One more than a tenant may have is not inserted. $8 how many a tenant may have
static SET_KEY: Sql = Sql::new(
    "set_key_rate",
    "INSERT INTO start_limit (queue, scope, owner, name, rate, max_concurrent, changed_at)
     SELECT $1, $2, $3, $4, $5, $6, $7
     WHERE (SELECT count(*) FROM start_limit l
            WHERE l.queue = $1 AND l.scope = $2 AND l.owner = $3 AND l.name <> $4) < $8
     ON CONFLICT (queue, scope, owner, name) DO UPDATE
     SET rate = excluded.rate, max_concurrent = excluded.max_concurrent, changed_at = excluded.changed_at",
);

static REMOVE_START_LIMIT: Sql = Sql::new(
    "remove_start_limit",
    "DELETE FROM start_limit WHERE queue = $1 AND scope = $2 AND owner = $3 AND name = $4",
);

/// The scope of rows that are about callers' own keys; `owner` is the tenant.
const KEY: &str = "key";

/// What `start_limit.max_concurrent` holds where an operator set "no limit".
const UNLIMITED: i32 = -1;

#[async_trait]
impl LimitStore for SqlStore {
    async fn limit_overrides(&self) -> StoreResult<Vec<LimitOverride>> {
        let mut overrides = read(self.pool().read(), -1).await?;
        overrides.extend(start_limits(self.pool().read(), -1).await?.job_types);
        Ok(overrides)
    }

    async fn rate_overrides(&self) -> StoreResult<Vec<RateOverride>> {
        Ok(start_limits(self.pool().read(), -1).await?.rates)
    }

    async fn key_rates(&self) -> StoreResult<Vec<KeyRate>> {
        Ok(start_limits(self.pool().read(), QueueName::Node.code()).await?.keys)
    }

    async fn set_key_rate(&self, rate: &KeyRate, rates_max: u32, now: Timestamp) -> StoreResult<bool> {
        with_retry(RetryBudget::repeatable(), || set_key(self, rate, rates_max, now)).await
    }

    async fn remove_key_rate(&self, tenant: &TenantName, pattern: &str) -> StoreResult<bool> {
        with_retry(RetryBudget::once(), || remove_key(self, tenant, pattern)).await
    }

    async fn change_limits_and_rates(
        &self,
        limits: &[LimitChange],
        rates: &[RateChange],
        now: Timestamp,
    ) -> StoreResult<()> {
        with_retry(RetryBudget::repeatable(), || change(self, limits, rates, now)).await
    }
}

/// What operators set for one queue.
pub(crate) struct Overrides {
    /// Limits, those of job types included.
    pub(crate) limits: Vec<LimitOverride>,
    pub(crate) rates: Vec<RateOverride>,
    /// Rates of callers' own keys.
    pub(crate) keys: Vec<KeyRate>,
}

/// The overrides of one queue.
pub(crate) async fn overrides_of<C: ConnectionTrait>(on: &C, queue: QueueName) -> StoreResult<Overrides> {
    let mut limits = read(on, queue.code()).await?;
    let StartLimits { rates, job_types, keys } = start_limits(on, queue.code()).await?;
    limits.extend(job_types);
    Ok(Overrides { limits, rates, keys })
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

/// What the rows of `start_limit` say.
struct StartLimits {
    rates: Vec<RateOverride>,
    job_types: Vec<LimitOverride>,
    keys: Vec<KeyRate>,
}

/// What is declared for keys of these tenants.
pub(crate) async fn key_rates_of<C: ConnectionTrait>(
    on: &C,
    tenants: &HashSet<&str>,
) -> StoreResult<Vec<KeyRate>> {
    let dialect = Dialect::of(on.get_database_backend());
    let tenants = bind::texts(dialect, tenants.iter().copied());
    let values = vec![QueueName::Node.code().into(), KEY.into(), tenants];
    KEY_RATES.all(on, values).await?.iter().map(|row| key_rate(Row::new("start_limit", row))).collect()
}

fn key_rate(row: Row<'_>) -> StoreResult<KeyRate> {
    Ok(KeyRate {
        tenant: TenantName::trusted(row.text("owner")?),
        pattern: row.text("name")?,
        rate: row.rate_or_null("rate")?.ok_or_else(|| row.fault("rate"))?,
        max_concurrent: row.count_or_null("max_concurrent")?,
    })
}

async fn start_limits<C: ConnectionTrait>(on: &C, queue: i16) -> StoreResult<StartLimits> {
    let mut limits = StartLimits { rates: Vec::new(), job_types: Vec::new(), keys: Vec::new() };
    for row in &START_LIMITS.all(on, vec![queue.into()]).await? {
        let row = Row::new("start_limit", row);
        if row.text("scope")? == KEY {
            limits.keys.push(key_rate(row)?);
            continue;
        }
        let (queue, owner, name) = (row.queue("queue")?, row.text("owner")?, row.text("name")?);
        let scope = row.parsed("scope", |text| rate_scope_from(text, owner, name))?;
        if let Some(limit) = row.long_or_null("max_concurrent")? {
            let scope = match &scope {
                RateScope::JobType(job_type) => LimitScope::JobType(job_type.clone()),
                RateScope::TenantJobType(tenant, job_type) => {
                    LimitScope::TenantJobType(tenant.clone(), job_type.clone())
                }
                _ => return Err(row.fault("max_concurrent")),
            };
            // Below zero: no limit.
            let max_concurrent = u32::try_from(limit).ok();
            limits.job_types.push(LimitOverride { queue, scope, max_concurrent });
        }
        if let Some(rate) = row.rate_or_null("rate")? {
            limits.rates.push(RateOverride { queue, scope, rate });
        }
    }
    Ok(limits)
}

async fn change(
    store: &SqlStore,
    limits: &[LimitChange],
    rates: &[RateChange],
    now: Timestamp,
) -> StoreResult<()> {
    let transaction = store.pool().begin().await?;
    for change in limits {
        change_one(&transaction, change, now).await?;
    }
    for change in rates {
        let (scope, owner, name) = rate_scope_columns(&change.scope);
        let rate: Value = change.rate.map(|rate| rate.to_string()).into();
        let values =
            vec![change.queue.code().into(), scope.into(), owner.into(), name.into(), rate, now.0.into()];
        SET_RATE.run(&transaction, values).await?;
    }
    DROP_UNSET.run(&transaction, vec![]).await?;
    let queues = limits.iter().map(|change| change.queue).chain(rates.iter().map(|change| change.queue));
    bump_limits_version(&transaction, &queues.collect::<Vec<_>>()).await?;
    commit_change(transaction).await
}

/// `LimitStore::set_key_rate`.
async fn set_key(store: &SqlStore, rate: &KeyRate, rates_max: u32, now: Timestamp) -> StoreResult<bool> {
    let queue = QueueName::Node.code();
    let transaction = store.pool().begin().await?;
    let values = vec![
        queue.into(),
        KEY.into(),
        rate.tenant.as_str().into(),
        rate.pattern.as_str().into(),
        rate.rate.to_string().into(),
        rate.max_concurrent.map(i64::from).into(),
        now.0.into(),
        i64::from(rates_max).into(),
    ];
    if SET_KEY.run(&transaction, values).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    bump_limits_version(&transaction, &[QueueName::Node]).await?;
    commit_change(transaction).await?;
    Ok(true)
}

/// `LimitStore::remove_key_rate`.
async fn remove_key(store: &SqlStore, tenant: &TenantName, pattern: &str) -> StoreResult<bool> {
    let transaction = store.pool().begin().await?;
    let values = vec![QueueName::Node.code().into(), KEY.into(), tenant.as_str().into(), pattern.into()];
    if REMOVE_START_LIMIT.run(&transaction, values).await? == 0 {
        rollback(transaction).await;
        return Ok(false);
    }
    bump_limits_version(&transaction, &[QueueName::Node]).await?;
    commit_change(transaction).await?;
    Ok(true)
}

async fn change_one(
    transaction: &DatabaseTransaction,
    change: &LimitChange,
    now: Timestamp,
) -> StoreResult<()> {
    let (scope, owner, name) = scope_columns(&change.scope);
    let mut values = vec![change.queue.code().into(), scope.into(), owner.into(), name.into()];
    let number = |limit: u32| i32::try_from(limit).unwrap_or(i32::MAX);
    if matches!(change.scope, LimitScope::JobType(_) | LimitScope::TenantJobType(..)) {
        let limit = change.max_concurrent.map(|limit| limit.map_or(UNLIMITED, number));
        values.push(limit.into());
        values.push(now.0.into());
        return SET_TYPE.run(transaction, values).await.map(|_| ());
    }
    match change.max_concurrent {
        Some(limit) => {
            values.push(limit.map(number).into());
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
        LimitScope::JobType(job_type) => ("job_type", "", job_type.as_str()),
        LimitScope::TenantJobType(tenant, job_type) => {
            ("tenant_job_type", tenant.as_str(), job_type.as_str())
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

fn rate_scope_columns(scope: &RateScope) -> (&'static str, &str, &str) {
    match scope {
        RateScope::Global => ("global", "", ""),
        RateScope::TenantDefault => ("tenant_default", "", ""),
        RateScope::WorkflowDefault => ("workflow_default", "", ""),
        RateScope::JobTypeDefault => ("job_type_default", "", ""),
        RateScope::Tenant(tenant) => ("tenant", "", tenant.as_str()),
        RateScope::Workflow(workflow) => {
            let (owner, name) = workflow_columns(Some(workflow));
            ("workflow", owner, name)
        }
        RateScope::JobType(job_type) => ("job_type", "", job_type.as_str()),
        RateScope::TenantJobType(tenant, job_type) => ("tenant_job_type", tenant.as_str(), job_type.as_str()),
    }
}

fn rate_scope_from(text: &str, owner: String, name: String) -> Option<RateScope> {
    match text {
        "global" => Some(RateScope::Global),
        "tenant_default" => Some(RateScope::TenantDefault),
        "workflow_default" => Some(RateScope::WorkflowDefault),
        "job_type_default" => Some(RateScope::JobTypeDefault),
        "tenant" => Some(RateScope::Tenant(TenantName::trusted(name))),
        "workflow" => Some(RateScope::Workflow(workflow_ref(owner, name))),
        "job_type" => Some(RateScope::JobType(JobType::trusted(name))),
        "tenant_job_type" => {
            Some(RateScope::TenantJobType(TenantName::trusted(owner), JobType::trusted(name)))
        }
        _ => None,
    }
}
