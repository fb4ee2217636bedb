//! Retention that somebody set: the table, and which times there are for each kind of thing.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::names::TenantName;
use domain::retention::{KeptFor, RetentionSubject};
use domain::time::{DurationMs, Timestamp};
use sea_orm::QueryResult;
use store::StoreResult;
use store::audit::AuditRecord;
use store::operations::Retention;
use store::retention::{RetentionChange, RetentionLag, RetentionOverride, RetentionStore};

use crate::pool::{Pool, commit_change};
use crate::retry::{RetryBudget, with_retry};
use crate::rows::Row;
use crate::sql::Sql;
use crate::{SqlStore, audit};

// Which times there are for a kind of thing. Each is a class: what belongs to tenants of one class goes by itself, so that a
// tenant that keeps things for long holds up nobody else's.

// Index: retention_override_class.
static OF_TENANTS: Sql = Sql::new(
    "retention_classes",
    "SELECT subject, kept_ms FROM retention_override WHERE tenant <> '' GROUP BY subject, kept_ms ORDER BY kept_ms",
);

/// What stands for the class of tenants that have no time of their own.
const NO_OWN_TIME: i64 = -1;

/// Tenants for which a kind of thing is kept for the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Class {
    /// The stored name of the kind of thing.
    pub(crate) subject: String,
    /// The time that these tenants have of their own, or what stands for none.
    pub(crate) kept_ms: i64,
    /// What ended before this goes.
    pub(crate) before: Timestamp,
}

/// The times of all kinds of things.
#[derive(Debug)]
pub(crate) struct Classes<'a> {
    retention: &'a Retention,
    of_tenants: HashMap<String, Vec<DurationMs>>,
}

impl<'a> Classes<'a> {
    /// Reads those that tenants have.
    pub(crate) async fn read(pool: &Pool, retention: &'a Retention) -> StoreResult<Self> {
        let mut of_tenants: HashMap<String, Vec<DurationMs>> = HashMap::new();
        for row in &OF_TENANTS.all(pool.read(), Vec::new()).await? {
            let row = Row::new("retention_override", row);
            of_tenants.entry(row.text("subject")?).or_default().push(row.duration("kept_ms")?);
        }
        Ok(Self { retention, of_tenants })
    }

    /// The present instant.
    pub(crate) fn now(&self) -> Timestamp {
        self.retention.now
    }

    /// The classes of a kind of thing.
    pub(crate) fn of(&self, subject: RetentionSubject) -> Vec<Class> {
        let name = subject.name();
        let others = self.retention.before(subject).map(|before| (NO_OWN_TIME, before));
        let own = self.of_tenants.get(&name).map_or(&[][..], Vec::as_slice);
        let own = own.iter().map(|kept| (kept.0, self.retention.now.minus(*kept)));
        others
            .into_iter()
            .chain(own)
            .map(|(kept_ms, before)| Class { subject: name.clone(), kept_ms, before })
            .collect()
    }
}

// The table of times that somebody set.

/// What stands for the tenant in rows of all.
const OF_ALL: &str = "";

static ALL: Sql = Sql::new(
    "retention_overrides",
    "SELECT tenant, subject, set_ms, kept_ms FROM retention_override ORDER BY tenant, subject",
);

static SET: Sql = Sql::new(
    "set_retention",
    "INSERT INTO retention_override (tenant, subject, set_ms, kept_ms, changed_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (tenant, subject) DO UPDATE
     SET set_ms = excluded.set_ms, kept_ms = excluded.kept_ms, changed_at = excluded.changed_at",
);

static REMOVE: Sql =
    Sql::new("remove_retention", "DELETE FROM retention_override WHERE tenant = $1 AND subject = $2");

/// All of them.
async fn all(pool: &Pool) -> StoreResult<Vec<RetentionOverride>> {
    ALL.all(pool.read(), Vec::new()).await?.iter().map(override_of).collect()
}

/// Changes those of all or of one tenant, in one commit.
async fn change(
    pool: &Pool,
    tenant: Option<&TenantName>,
    changes: &[RetentionChange],
    lines: &[AuditRecord],
    now: Timestamp,
) -> StoreResult<()> {
    let tenant = tenant.map_or(OF_ALL, TenantName::as_str);
    let transaction = pool.begin().await?;
    for change in changes {
        let subject = change.subject.name();
        match change.kept {
            Some(kept) => {
                let (set, class) = (kept.set.0.into(), kept.class.0.into());
                SET.run(&transaction, vec![tenant.into(), subject.into(), set, class, now.0.into()]).await?;
            }
            None => {
                REMOVE.run(&transaction, vec![tenant.into(), subject.into()]).await?;
            }
        }
    }
    audit::append(&transaction, pool.dialect(), lines).await?;
    commit_change(transaction).await
}

fn override_of(row: &QueryResult) -> StoreResult<RetentionOverride> {
    let row = Row::new("retention_override", row);
    let tenant = row.text("tenant")?;
    Ok(RetentionOverride {
        tenant: (tenant != OF_ALL).then(|| TenantName::trusted(tenant)),
        subject: row.parsed("subject", RetentionSubject::parse)?,
        kept: KeptFor { set: row.duration("set_ms")?, class: row.duration("kept_ms")? },
    })
}

// The port's operations on retention, each retried where that is safe.

#[async_trait]
impl RetentionStore for SqlStore {
    async fn retention_overrides(&self) -> StoreResult<Vec<RetentionOverride>> {
        with_retry(RetryBudget::repeatable(), || all(self.pool())).await
    }

    async fn change_retention(
        &self,
        tenant: Option<&TenantName>,
        changes: &[RetentionChange],
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<()> {
        with_retry(RetryBudget::once(), || change(self.pool(), tenant, changes, audit, now)).await
    }

    fn retention_lag(&self) -> Vec<RetentionLag> {
        self.memory().pruned.lag()
    }
}
