//! Schedules that fire every so often.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0051_intervals", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE schedule ADD COLUMN every_ms bigint",
    "ALTER TABLE schedule ADD COLUMN anchor_at bigint",
    "CREATE INDEX schedule_interval_due ON schedule (next_run_at)
        WHERE every_ms IS NOT NULL AND next_run_at IS NOT NULL AND is_paused = 0",
];
