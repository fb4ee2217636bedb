//! Fewer entries of indexes for each dead letter that is requeued, and alerts that ended under a silence.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration =
    SqlMigration::new("m0086_fewer_entries", &[STATEMENTS]).on_postgres(POSTGRES);

const STATEMENTS: &[&str] = &[
    // Of whose end nobody was notified.
    "CREATE INDEX alert_silenced_end ON alert (resolved_at)
     WHERE resolved_at IS NOT NULL AND silenced_by IS NOT NULL AND notified_at IS NOT NULL",
    // New letters of each status are in the index by status and instant as well.
    "DROP INDEX dead_letter_growth",
];

// PostgreSQL writes to each index that has the new version of a row, whatever has changed: so those that are not needed for what was
// requeued leave it out. Lists of that are read by the indexes of the status, of tenants and of fingerprints. SQLite writes to the
// indexes of what has changed, and uses a partial index only where a statement repeats its condition.
const POSTGRES: &[&str] = &[
    "DROP INDEX dead_letter_tenant",
    "DROP INDEX dead_letter_type",
    "DROP INDEX dead_letter_workflow",
    "CREATE INDEX dead_letter_tenant ON dead_letter (tenant, status, id) WHERE status <> 'requeued'",
    "CREATE INDEX dead_letter_type ON dead_letter (job_type, status, died_at, id) WHERE status <> 'requeued'",
    "CREATE INDEX dead_letter_workflow ON dead_letter (workflow, status, died_at, id) WHERE status <> 'requeued'",
];
