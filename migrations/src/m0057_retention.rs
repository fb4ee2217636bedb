//! Retention that somebody set, and payloads that were dropped before their rows.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0057_retention", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // `tenant` is '' for all that have no time of their own. `kept_ms` is the class that `set_ms` is rounded up to.
    "CREATE TABLE retention_override (
        tenant text NOT NULL,
        subject text NOT NULL,
        set_ms bigint NOT NULL,
        kept_ms bigint NOT NULL,
        changed_at bigint NOT NULL,
        PRIMARY KEY (tenant, subject)
    )",
    // Which times there are, so that each is looked for by a walk of its own.
    "CREATE INDEX retention_override_class ON retention_override (subject, kept_ms)",
    "ALTER TABLE job_done ADD COLUMN payload_dropped_at bigint",
    "ALTER TABLE execution ADD COLUMN payload_dropped_at bigint",
    "ALTER TABLE webhook_delivery ADD COLUMN payload_dropped_at bigint",
];
