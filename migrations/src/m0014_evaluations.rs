//! How often in a row the evaluation of an execution's expressions ended with the process that made it.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0014_evaluations", &[STATEMENTS]);

const STATEMENTS: &[&str] = &["ALTER TABLE execution ADD COLUMN evaluations_lost int NOT NULL DEFAULT 0"];
