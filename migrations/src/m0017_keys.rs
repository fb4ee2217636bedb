//! What keys are limited to, when they end and were used, their rotation, and where a line of the audit log came from.

use sea_orm_migration::prelude::*;

use crate::dialect::render;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0017_keys"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    #[expect(elided_lifetimes_in_paths, reason = "the trait's own signature elides it")]
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in STATEMENTS {
            connection.execute_unprepared(&render(manager.get_database_backend(), statement)).await?;
        }
        Ok(())
    }
}

// Null in the rows that were there: no scopes, from everywhere, with payloads, without an end, as before.
const STATEMENTS: &[&str] = &[
    // `call`, `first` or `settings`; null where nobody noted it.
    "ALTER TABLE api_key ADD COLUMN source text",
    "ALTER TABLE api_key ADD COLUMN scopes text",
    "ALTER TABLE api_key ADD COLUMN networks text",
    "ALTER TABLE api_key ADD COLUMN hides_payloads integer",
    "ALTER TABLE api_key ADD COLUMN expires_at bigint",
    "ALTER TABLE api_key ADD COLUMN last_used_at bigint",
    "ALTER TABLE api_key ADD COLUMN rotated_at bigint",
    // The secret before the last rotation, and until when it holds.
    "ALTER TABLE api_key ADD COLUMN previous_digest {bytes}",
    "ALTER TABLE api_key ADD COLUMN previous_until bigint",
    "CREATE INDEX api_key_previous ON api_key (previous_digest) WHERE previous_digest IS NOT NULL",
    "ALTER TABLE audit ADD COLUMN address text",
    "ALTER TABLE audit ADD COLUMN user_agent text",
    "ALTER TABLE audit ADD COLUMN request_id text",
];
