//! Steps of executions are numbered, and commands have ids.

use sea_orm_migration::prelude::*;

use crate::dialect::render;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0007_steps"
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
    // How many steps were committed: a commit that rests on another number is refused.
    "ALTER TABLE execution ADD COLUMN step bigint NOT NULL DEFAULT 0",
    // The step that applied or refused an entry.
    "ALTER TABLE inbox ADD COLUMN step bigint",
    // What tells a command that is sent again from another one. Results of nodes and children have none.
    "ALTER TABLE inbox ADD COLUMN command_id {uuid}",
    "CREATE UNIQUE INDEX inbox_command ON inbox (command_id) WHERE command_id IS NOT NULL",
];
