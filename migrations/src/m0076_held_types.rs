//! Which job types the relay of a node makes no offers of, and why: a JSON list, null where there are none.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0076_held_types", &[STATEMENTS]);

const STATEMENTS: &[&str] = &["ALTER TABLE dispatch_node ADD COLUMN held text"];
