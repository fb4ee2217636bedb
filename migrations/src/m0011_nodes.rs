//! Processes with pools, so that one that dies is noticed.

use sea_orm_migration::prelude::*;

use crate::dialect::render;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0011_nodes"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    #[expect(elided_lifetimes_in_paths, reason = "the trait's own signature elides it")]
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        let backend = manager.get_database_backend();
        for statement in STATEMENTS {
            connection.execute_unprepared(&render(backend, statement)).await?;
        }
        Ok(())
    }
}

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
