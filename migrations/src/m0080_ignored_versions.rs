//! Until which version of which workflow a group of dead letters is ignored.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0080_ignored_versions", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE dead_letter_decision ADD COLUMN until_workflow text",
    "ALTER TABLE dead_letter_decision ADD COLUMN until_version integer",
];
