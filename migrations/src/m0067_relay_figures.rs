//! What the relay of a node has done, for those who look at a deployment.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0067_relay_figures", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE dispatch_node ADD COLUMN published bigint NOT NULL DEFAULT 0",
    "ALTER TABLE dispatch_node ADD COLUMN publish_errors bigint NOT NULL DEFAULT 0",
    "ALTER TABLE dispatch_node ADD COLUMN unacknowledged bigint NOT NULL DEFAULT 0",
    "ALTER TABLE dispatch_node ADD COLUMN published_per_second bigint NOT NULL DEFAULT 0",
    "ALTER TABLE dispatch_node ADD COLUMN last_error text",
    "ALTER TABLE dispatch_node ADD COLUMN last_error_at bigint",
];
