//! When the job of an execution that nobody owns is to be looked at, although no slot is free for it.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0008_look", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE job ADD COLUMN look_at bigint",
    "CREATE INDEX job_look ON job (look_at) WHERE state = 'queued' AND look_at IS NOT NULL",
];
