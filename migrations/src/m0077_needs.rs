//! What a process must know to work with a store, so that one of the former version that stops during an upgrade can start again.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0077_needs", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // The name of a migration. A process that knows it works with the store, though it may not know later ones. A migration that only
    // adds leaves the name; one that takes away or changes what processes of the former version use sets its own.
    "ALTER TABLE store_state ADD COLUMN needs text NOT NULL DEFAULT 'm0077_needs'",
];
