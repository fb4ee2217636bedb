//! Names of workers are each tenant's own.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0006_workers", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // What is in it shows itself again within seconds.
    "DROP TABLE worker",
    // The tenant is empty where a key is bound to none.
    "CREATE TABLE worker (
        tenant text NOT NULL,
        id text NOT NULL,
        kind text NOT NULL,
        job_types text NOT NULL,
        first_seen_at bigint NOT NULL,
        last_seen_at bigint NOT NULL,
        PRIMARY KEY (tenant, id)
    )",
];
