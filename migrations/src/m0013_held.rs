//! Deliveries that are held: verified and stored, and matched later.

use sea_orm_migration::prelude::*;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0013_held"
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
    // Since when an accepted delivery waits for its endpoint. A column and not another status, so that a node of an older
    // version that meets one reads it as accepted.
    "ALTER TABLE webhook_delivery ADD COLUMN held_at bigint",
    // What is held, in the order in which it is released; with the sizes, so that they are added up without the rows.
    "CREATE INDEX webhook_delivery_held ON webhook_delivery (webhook_id, held_at, id, body_bytes)
        WHERE held_at IS NOT NULL",
];
