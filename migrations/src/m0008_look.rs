//! When the job of an execution that nobody owns is to be looked at, although no slot is free for it.

use sea_orm_migration::prelude::*;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0008_look"
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
    "ALTER TABLE job ADD COLUMN look_at bigint",
    "CREATE INDEX job_look ON job (look_at) WHERE state = 'queued' AND look_at IS NOT NULL",
];
