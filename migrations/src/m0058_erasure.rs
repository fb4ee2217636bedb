//! Tenants that are erased, and what is needed to find all that belongs to one.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0058_erasure", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // Kept for a while after the end, so that every node hears that the name is free again.
    "CREATE TABLE tenant_erasure (
        tenant text PRIMARY KEY,
        batch_id {uuid} NOT NULL,
        begun_at bigint NOT NULL,
        ended_at bigint
    )",
    // Lines outlive their jobs.
    "CREATE INDEX job_log_tenant ON job_log (tenant)",
];
