//! Quotas of tenants, and what their use is counted from.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0015_quotas", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // A quota that is null is unlimited, whatever the default.
    "CREATE TABLE tenant_quota (
        tenant text NOT NULL,
        name text NOT NULL,
        quota bigint,
        changed_at bigint NOT NULL,
        PRIMARY KEY (tenant, name)
    )",
    // Sums of bytes are read from the index alone.
    "CREATE INDEX webhook_delivery_bytes ON webhook_delivery (tenant, webhook_id, status, body_bytes)",
    "CREATE INDEX execution_open ON execution (tenant) WHERE completed_at IS NULL",
];
