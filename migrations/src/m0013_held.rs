//! Deliveries that are held: verified and stored, and matched later.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0013_held", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // Since when an accepted delivery waits for its endpoint. A column and not another status, so that a node of an older
    // version that meets one reads it as accepted.
    "ALTER TABLE webhook_delivery ADD COLUMN held_at bigint",
    // What is held, in the order in which it is released; with the sizes, so that they are added up without the rows.
    "CREATE INDEX webhook_delivery_held ON webhook_delivery (webhook_id, held_at, id, body_bytes)
        WHERE held_at IS NOT NULL",
];
