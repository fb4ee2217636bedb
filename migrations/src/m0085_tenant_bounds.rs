//! What is needed to count what a tenant has of all that it can make.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0085_tenant_bounds", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "CREATE INDEX api_key_tenant ON api_key (tenant, id) WHERE tenant IS NOT NULL",
    // Null until an attempt of before logs again: until retention takes it, it does not count.
    "ALTER TABLE job_log_attempt ADD COLUMN tenant text",
    // Bytes are added up from the index alone.
    "CREATE INDEX job_log_attempt_tenant ON job_log_attempt (tenant, job_id, bytes, lines)",
    // A tenant that has few starts waiting does not go through those of the others.
    "CREATE INDEX put_off_start_tenant ON put_off_start (tenant)",
];
