//! Steps of executions are numbered, and commands have ids.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0007_steps", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // How many steps were committed: a commit that rests on another number is refused.
    "ALTER TABLE execution ADD COLUMN step bigint NOT NULL DEFAULT 0",
    // The step that applied or refused an entry.
    "ALTER TABLE inbox ADD COLUMN step bigint",
    // What tells a command that is sent again from another one. Results of nodes and children have none.
    "ALTER TABLE inbox ADD COLUMN command_id {uuid}",
    "CREATE UNIQUE INDEX inbox_command ON inbox (command_id) WHERE command_id IS NOT NULL",
];
