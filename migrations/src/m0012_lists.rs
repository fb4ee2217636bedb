//! What people look at: indexes for the lists of a tenant, and the figures of large queues.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0012_lists", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // A tenant's finished jobs, newest first: by its lanes, of which there are few.
    "CREATE INDEX lane_tenant ON lane (tenant, id)",
    "CREATE INDEX job_done_lane ON job_done (lane, id)",
    "CREATE INDEX dead_letter_tenant ON dead_letter (tenant, status, id)",
    // What was counted in a large queue, for all who ask. `figures` is JSON.
    "CREATE TABLE queue_figure (
        queue smallint PRIMARY KEY,
        shown_until bigint NOT NULL,
        figures text NOT NULL
    )",
];
