//! Fewer indexes on the hot path of jobs.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0005_claim"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    #[expect(elided_lifetimes_in_paths, reason = "the trait's own signature elides it")]
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        if manager.get_database_backend() == DbBackend::Postgres {
            for statement in POSTGRES {
                connection.execute_unprepared(statement).await?;
            }
        }
        Ok(())
    }
}

/// On SQLite the position is where the row lies and costs nothing.
const POSTGRES: &[&str] = &[
    // Every insert, claim and retry writes to each index of the table. Jobs are looked for by id, or in the order of
    // their lanes, and found again within a statement by where they lie.
    "ALTER TABLE job DROP CONSTRAINT job_pkey",
    "ALTER TABLE job REPLICA IDENTITY USING INDEX job_id_key",
];
