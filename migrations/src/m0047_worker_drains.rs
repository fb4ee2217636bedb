//! Workers: the build that they run, and since when they are drained.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0047_worker_drains", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE worker ADD COLUMN build text",
    "ALTER TABLE worker ADD COLUMN draining_at bigint",
    "CREATE INDEX worker_draining ON worker (last_seen_at) WHERE draining_at IS NOT NULL",
];
