//! Indexes for the filters and orders of lists. None is on a column that changes while a job or an execution is under way,
//! so that no step writes more than before.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0022_search", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // Dead letters by when they died, with what they are filtered by.
    "CREATE INDEX dead_letter_died ON dead_letter (status, died_at, id)",
    "CREATE INDEX dead_letter_tenant_died ON dead_letter (tenant, status, died_at, id)",
    "CREATE INDEX dead_letter_type ON dead_letter (job_type, status, died_at, id)",
    "CREATE INDEX dead_letter_workflow ON dead_letter (workflow, status, died_at, id)",
    "CREATE INDEX dead_letter_fingerprint ON dead_letter (fingerprint, status, died_at, id)",
    "CREATE INDEX dead_letter_execution ON dead_letter (execution_id) WHERE execution_id IS NOT NULL",
    // Jobs that did not complete are few beside the others.
    "CREATE INDEX job_done_unsuccessful ON job_done (status, id) WHERE status <> 'COMPLETED'",
    "CREATE INDEX job_done_unique_key ON job_done (unique_key) WHERE unique_key IS NOT NULL",
    "CREATE INDEX execution_correlation ON execution (correlation_id, id) WHERE correlation_id IS NOT NULL",
    "CREATE INDEX execution_schedule ON execution (schedule_id, id) WHERE schedule_id IS NOT NULL",
];
