//! Leases are looked at when an instant comes that renewing them does not move.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0010_reap_at", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // When a leased job is looked at next; not after the end of its lease, as this version writes both. It is 0 in a job
    // that is not leased, so that a lease which a former version writes without it is looked at once more than needed.
    // Only where a former version also ended the lease before, or makes one shorter, is that lease looked at late: when
    // the one of this version would have ended.
    "ALTER TABLE job ADD COLUMN reap_at bigint NOT NULL DEFAULT 0",
    // A column that heartbeats write is in no index, so that they write to none.
    "DROP INDEX job_leased",
    "CREATE INDEX job_leased ON job (queue, reap_at) WHERE state = 'processing'",
];
