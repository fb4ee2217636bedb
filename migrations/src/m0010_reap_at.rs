//! Leases are looked at when an instant comes that renewing them does not move.

use sea_orm_migration::prelude::*;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0010_reap_at"
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
    // When a leased job is looked at next; not after the end of its lease, as this version writes both. It is 0 in a job
    // that is not leased, so that a lease which a former version writes without it is looked at once more than needed.
    // Only where a former version also ended the lease before, or makes one shorter, is that lease looked at late: when
    // the one of this version would have ended.
    "ALTER TABLE job ADD COLUMN reap_at bigint NOT NULL DEFAULT 0",
    // A column that heartbeats write is in no index, so that they write to none.
    "DROP INDEX job_leased",
    "CREATE INDEX job_leased ON job (queue, reap_at) WHERE state = 'processing'",
];
