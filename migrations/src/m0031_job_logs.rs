//! Lines that handlers log while they work on jobs, beside the jobs and never in their rows.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0031_job_logs", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // What an attempt has logged, so that nobody counts its lines.
    "CREATE TABLE job_log_attempt (
        job_id {uuid} NOT NULL,
        attempt integer NOT NULL,
        lines integer NOT NULL,
        bytes integer NOT NULL,
        dropped integer NOT NULL,
        sequence bigint NOT NULL,
        logged_at bigint NOT NULL,
        PRIMARY KEY (job_id, attempt)
    )",
    "CREATE TABLE job_log (
        job_id {uuid} NOT NULL,
        attempt integer NOT NULL,
        line integer NOT NULL,
        tenant text NOT NULL,
        execution_id {uuid},
        node_id text,
        at bigint NOT NULL,
        level smallint NOT NULL,
        message text NOT NULL,
        fields text,
        logged_at bigint NOT NULL,
        PRIMARY KEY (job_id, attempt, line)
    )",
    "CREATE INDEX job_log_execution ON job_log (execution_id, at, job_id, attempt, line)
     WHERE execution_id IS NOT NULL",
    "CREATE INDEX job_log_age ON job_log (logged_at)",
    "CREATE INDEX job_log_attempt_age ON job_log_attempt (logged_at)",
];
