//! Indexes for lists that had to pass over rows: what did not complete by lane, dead letters of a tenant by kind of error, jobs
//! by the kind of error with which they died, executions that failed, and the lanes of a job type or a workflow.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0072_list_indexes", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // Written by jobs that did not complete only.
    "CREATE INDEX job_done_lane_unsuccessful ON job_done (lane, status, id) WHERE status <> 'COMPLETED'",
    "CREATE INDEX dead_letter_tenant_fingerprint ON dead_letter (tenant, fingerprint, status, died_at, id)",
    // Jobs of a kind of error, in the order in which they were made. Open letters by instant are in the index by fingerprint,
    // status and instant as well.
    "CREATE INDEX dead_letter_fingerprint_job ON dead_letter (fingerprint, job_id)",
    "DROP INDEX dead_letter_group",
    // Executions that failed: all that have an error. It is set when they end, which writes to indexes anyhow; their status
    // changes under way, and an index on it would be written by each change.
    "UPDATE execution SET error = '{\"message\":\"The execution failed.\"}' WHERE status = 'FAILED' AND error IS NULL",
    "CREATE INDEX execution_error ON execution (id) WHERE error IS NOT NULL",
    "CREATE INDEX lane_type ON lane (job_type, id)",
    "CREATE INDEX lane_workflow ON lane (workflow, id)",
];
