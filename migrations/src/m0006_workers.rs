//! Names of workers are each tenant's own.

use sea_orm_migration::prelude::*;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0006_workers"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    #[expect(elided_lifetimes_in_paths, reason = "the trait's own signature elides it")]
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in STATEMENTS {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }
}

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
