//! Rates: what is set, and how many starts were counted.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0040_rates", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // What operators set beside `queue_limit`, which nodes of a version before read as a whole and would not understand:
    // rates, and how many jobs of a type may run at once. A row has one of them or both.
    "CREATE TABLE start_limit (
        queue smallint NOT NULL,
        scope text NOT NULL,
        owner text NOT NULL,
        name text NOT NULL,
        rate text,
        max_concurrent integer,
        changed_at bigint NOT NULL,
        PRIMARY KEY (queue, scope, owner, name)
    )",
    // Starts that still count, written by claims only, under the lock of the queue.
    "CREATE TABLE start_count (
        queue smallint NOT NULL,
        scope text NOT NULL,
        owner text NOT NULL,
        name text NOT NULL,
        counted text NOT NULL,
        expires_at bigint NOT NULL,
        PRIMARY KEY (queue, scope, owner, name)
    ) {hot}",
    "CREATE INDEX start_count_age ON start_count (expires_at)",
    // `limits.rate` of the definition.
    "ALTER TABLE workflow ADD COLUMN rate text",
    // 1: it was claimed, and its attempt was taken back, as when an execution is parked.
    "ALTER TABLE job ADD COLUMN is_resumed smallint NOT NULL DEFAULT 0",
    // Jobs of executions that wait and were claimed before: no rate keeps them back, however many wait before them.
    "CREATE INDEX job_resumed ON job (lane, position)
        WHERE state = 'queued' AND queue = 0 AND (attempt > 0 OR is_resumed = 1)",
];
