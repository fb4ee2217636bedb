//! Bulk operations with an entry for each object.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0023_batches", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE batch ADD COLUMN status_reason text",
    "ALTER TABLE batch ADD COLUMN is_past_canary smallint NOT NULL DEFAULT 0",
    "ALTER TABLE batch ADD COLUMN skipped bigint NOT NULL DEFAULT 0",
    "ALTER TABLE batch ADD COLUMN pending bigint NOT NULL DEFAULT 0",
    "ALTER TABLE batch ADD COLUMN ended_badly bigint NOT NULL DEFAULT 0",
    "ALTER TABLE batch ADD COLUMN reason text",
    "ALTER TABLE batch ADD COLUMN actor text NOT NULL DEFAULT ''",
    // The process that carries it out.
    "ALTER TABLE batch ADD COLUMN owner {uuid}",
    // Where the listing of its objects goes on: the instant and the id of the last one.
    "ALTER TABLE batch ADD COLUMN cursor_at bigint",
    "ALTER TABLE batch ADD COLUMN cursor_id {uuid}",
    "ALTER TABLE batch ADD COLUMN finished_at bigint",
    "UPDATE batch SET finished_at = updated_at, status = CASE WHEN status = 'running' THEN 'failed' ELSE status END,
       status_reason = CASE WHEN status = 'running' THEN 'error' END",
    "DROP INDEX batch_running",
    // What somebody has to move: not ended, or changed things of which the outcome is not known.
    "CREATE INDEX batch_open ON batch (updated_at) WHERE finished_at IS NULL OR pending > 0",
    "CREATE INDEX batch_finished ON batch (finished_at) WHERE finished_at IS NOT NULL",
    "CREATE TABLE batch_item (
        batch_id {uuid} NOT NULL,
        object_id {uuid} NOT NULL,
        position bigint NOT NULL,
        outcome text CHECK (outcome IN ('done', 'failed', 'skipped')),
        at bigint,
        result_id {uuid},
        error text,
        aftermath text CHECK (aftermath IN ('pending', 'well', 'badly')),
        PRIMARY KEY (batch_id, object_id)
    )",
    "CREATE UNIQUE INDEX batch_item_position ON batch_item (batch_id, position)",
    "CREATE INDEX batch_item_waiting ON batch_item (batch_id, position) WHERE outcome IS NULL",
    "CREATE INDEX batch_item_pending ON batch_item (batch_id, position) WHERE aftermath = 'pending'",
];
