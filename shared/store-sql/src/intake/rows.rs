//! Rows of the intake.

use domain::names::TenantName;
use sea_orm::QueryResult;
use store::StoreResult;
use store::intake::{IntakeKind, IntakeOverQuota, IntakeRow};

use crate::rows::Row;

/// Reads a row of `intake`.
pub(super) fn intake_of(row: &QueryResult) -> StoreResult<IntakeRow> {
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
pub(super) fn over_quota_of(row: &QueryResult) -> StoreResult<IntakeOverQuota> {
    let row = Row::new("intake_over_quota", row);
    Ok(IntakeOverQuota {
        tenant: row.name("tenant", TenantName::trusted)?,
        quota: row.text("quota")?,
        used: row.long("used")?.unsigned_abs(),
        limit: row.long("quota_limit")?.unsigned_abs(),
    })
}
