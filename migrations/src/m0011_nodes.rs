//! Processes with pools, so that one that dies is noticed.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0011_nodes", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // `pools` are the names under which the process leases jobs, as JSON. On PostgreSQL `lock_key` is the advisory lock that
    // its session holds, and `server` the start of the server that knows of it, in microseconds; both are 0 on SQLite.
    "CREATE TABLE node (
        id {uuid} PRIMARY KEY,
        pools text NOT NULL,
        lock_key bigint NOT NULL,
        server bigint NOT NULL,
        registered_at bigint NOT NULL
    )",
];
