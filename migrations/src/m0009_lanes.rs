//! What tells two states of a queue's claim row apart, and lanes by tier.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0009_lanes", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // Random, new with each change of the epoch; and the one before, so that whoever made the change knows on what it
    // followed.
    "ALTER TABLE queue_claim ADD COLUMN nonce bigint NOT NULL DEFAULT 0",
    "ALTER TABLE queue_claim ADD COLUMN nonce_before bigint NOT NULL DEFAULT 0",
    "CREATE INDEX lane_tier ON lane (queue, tier, id)",
];
