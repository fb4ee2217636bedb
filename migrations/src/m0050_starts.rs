//! Until when a job may be started for the first time.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0050_starts", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE job ADD COLUMN expires_at bigint",
    // Claims change `state`, which is indexed as well, so that the condition makes no update dearer.
    "CREATE INDEX job_expiry ON job (expires_at) WHERE expires_at IS NOT NULL AND started_at IS NULL",
];
