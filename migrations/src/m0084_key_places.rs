//! As many jobs with a concurrency key at once as are declared for it: each holds a place of the key.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0084_key_places", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE job ADD COLUMN key_place int",
    // Null is the first place: a version of before writes none.
    "CREATE UNIQUE INDEX job_key_place ON job (concurrency_key, COALESCE(key_place, 0))
     WHERE concurrency_key IS NOT NULL AND state IN ('queued', 'processing')",
    "DROP INDEX job_concurrency_key",
];
