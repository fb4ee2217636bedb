//! How many changes of a queue's claim row were claims.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0068_claims_counted", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // What is left of the epoch without them says whether a job may have become claimable at an older position.
    "ALTER TABLE queue_claim ADD COLUMN claims bigint NOT NULL DEFAULT 0",
];
