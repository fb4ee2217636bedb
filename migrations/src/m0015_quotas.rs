//! Quotas of tenants, and what their use is counted from.

use sea_orm_migration::prelude::*;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0015_quotas"
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
    // A quota that is null is unlimited, whatever the default.
    "CREATE TABLE tenant_quota (
        tenant text NOT NULL,
        name text NOT NULL,
        quota bigint,
        changed_at bigint NOT NULL,
        PRIMARY KEY (tenant, name)
    )",
    // Sums of bytes are read from the index alone.
    "CREATE INDEX webhook_delivery_bytes ON webhook_delivery (tenant, webhook_id, status, body_bytes)",
    "CREATE INDEX execution_open ON execution (tenant) WHERE completed_at IS NULL",
];
