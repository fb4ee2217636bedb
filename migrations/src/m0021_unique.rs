//! Unique keys of executions.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0021_unique", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE execution ADD COLUMN unique_key text",
    // 1 while the execution waits for others with its key.
    "ALTER TABLE execution ADD COLUMN unique_held smallint",
    "CREATE INDEX execution_unique ON execution (tenant, workflow_owner, workflow, unique_key)
        WHERE unique_key IS NOT NULL AND completed_at IS NULL",
    "CREATE INDEX execution_held ON execution (id) WHERE unique_held = 1 AND completed_at IS NULL",
];
