//! How many jobs a worker works on at once.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration =
    SqlMigration::new("m0081_worker_slots", &[&["ALTER TABLE worker ADD COLUMN slots bigint"]]);
