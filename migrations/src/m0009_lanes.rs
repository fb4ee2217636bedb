//! What tells two states of a queue's claim row apart, and lanes by tier.

use sea_orm_migration::prelude::*;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0009_lanes"
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
    // Random, new with each change of the epoch; and the one before, so that whoever made the change knows on what it
    // followed.
    "ALTER TABLE queue_claim ADD COLUMN nonce bigint NOT NULL DEFAULT 0",
    "ALTER TABLE queue_claim ADD COLUMN nonce_before bigint NOT NULL DEFAULT 0",
    "CREATE INDEX lane_tier ON lane (queue, tier, id)",
];
