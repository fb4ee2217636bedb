//! The audit log by subject: who changed a workflow, a tenant or a schedule.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration =
    SqlMigration::new("m0083_audit_subjects", &[]).on_postgres(POSTGRES).on_sqlite(SQLITE);

// Without the lines of calls that make jobs, executions and events: they are most of the log, are about an id that is new, and so
// write to no further index. By bytes, so that what begins with a text is a range.
const POSTGRES: &[&str] = &["CREATE INDEX audit_subject ON audit (subject COLLATE \"C\", at, id)
     WHERE action <> 'job.enqueue' AND action <> 'execution.start' AND action <> 'event.send'"];

const SQLITE: &[&str] = &["CREATE INDEX audit_subject ON audit (subject, at, id)
     WHERE action <> 'job.enqueue' AND action <> 'execution.start' AND action <> 'event.send'"];
