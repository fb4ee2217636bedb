//! Secrets of tenants, for the requests of their workflows.

use sea_orm_migration::prelude::*;

use crate::dialect::render;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0019_secrets"
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

const STATEMENTS: &[&str] = &["CREATE TABLE tenant_secret (
        tenant text NOT NULL,
        name text NOT NULL,
        id {uuid} NOT NULL,
        provider text NOT NULL CHECK (provider IN ('store', 'environment', 'file')),
        reference text,
        hosts text NOT NULL,
        key_id text,
        sealed {bytes},
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        PRIMARY KEY (tenant, name)
    )"];
