//! The table of times that somebody set.

use domain::names::TenantName;
use domain::retention::{KeptFor, RetentionSubject};
use domain::time::Timestamp;
use sea_orm::QueryResult;
use store::StoreResult;
use store::audit::AuditRecord;
use store::retention::{RetentionChange, RetentionOverride};

use crate::audit;
use crate::pool::{Pool, commit_change};
use crate::rows::Row;
use crate::sql::Sql;

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
pub(super) async fn all(pool: &Pool) -> StoreResult<Vec<RetentionOverride>> {
    ALL.all(pool.read(), Vec::new()).await?.iter().map(override_of).collect()
}

/// Changes those of all or of one tenant, in one commit.
pub(super) async fn change(
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
