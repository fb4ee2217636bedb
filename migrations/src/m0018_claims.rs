//! Who has claimed a user task, and whom an API key stands for.

use sea_orm_migration::prelude::*;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0018_claims"
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
    "ALTER TABLE user_task ADD COLUMN claimed_by text",
    "ALTER TABLE user_task ADD COLUMN claimed_at bigint",
    "ALTER TABLE api_key ADD COLUMN person text",
    // A list as JSON; null for none.
    "ALTER TABLE api_key ADD COLUMN member_of text",
];
