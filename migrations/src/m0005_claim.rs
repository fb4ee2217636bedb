//! Less to write on the hot path of jobs: fewer indexes, and large payloads out of the rows.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration =
    SqlMigration::new("m0005_claim", &[STATEMENTS]).on_postgres(POSTGRES);

const STATEMENTS: &[&str] = &[
    // Payloads of jobs that are too large for their rows, and of the dead letters of such jobs.
    "CREATE TABLE payload (
        id {uuid} PRIMARY KEY,
        data text NOT NULL
    )",
    // One index on finished jobs in the place of two: retention asks for status and time, figures for queue and time.
    "DROP INDEX job_done_ended",
    "DROP INDEX job_done_recent",
    "CREATE INDEX job_done_ended ON job_done (queue, status, finished_at)",
];

/// On SQLite the position is where the row lies and costs nothing.
const POSTGRES: &[&str] = &[
    // Every insert, claim and retry writes to each index of the table. Jobs are looked for by id, or in the order of
    // their lanes, and found again within a statement by where they lie.
    "ALTER TABLE job DROP CONSTRAINT job_pkey",
    "ALTER TABLE job REPLICA IDENTITY USING INDEX job_id_key",
    // Vacuum comes after so many dead rows as can be removed quickly, not after a fifth of a table that has grown for
    // years; and where large values come and go, for them too.
    "ALTER TABLE job SET (toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 1000,
        toast.autovacuum_vacuum_cost_delay = 0)",
    // Written by each step of an execution, mostly in columns without an index: with room on the page that costs no
    // index anything.
    "ALTER TABLE execution SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01,
        autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05,
        toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 1000,
        toast.autovacuum_vacuum_cost_delay = 0)",
    // Rows that come and go.
    "ALTER TABLE inbox SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05)",
    "ALTER TABLE payload SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
        toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE webhook_guard SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE idempotency SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_cost_delay = 0)",
    // Written once more after a moment, and removed by retention.
    "ALTER TABLE webhook_delivery SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE webhook_body SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0,
        toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_cost_delay = 0)",
    // History: retention removes about as much as comes.
    "ALTER TABLE job_done SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05,
        toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE attempt SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE node_result SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE execution_event SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)",
    // Few rows, each written again every few seconds.
    "ALTER TABLE worker SET (fillfactor = 20)",
];
