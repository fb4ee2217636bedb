//! What people look at: indexes for the lists of a tenant, and the figures of large queues.

use sea_orm_migration::prelude::*;

/// The migration.
#[derive(Debug)]
pub(crate) struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &'static str {
        "m0012_lists"
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
    // A tenant's finished jobs, newest first: by its lanes, of which there are few.
    "CREATE INDEX lane_tenant ON lane (tenant, id)",
    "CREATE INDEX job_done_lane ON job_done (lane, id)",
    "CREATE INDEX dead_letter_tenant ON dead_letter (tenant, status, id)",
    // What was counted in a large queue, for all who ask. `figures` is JSON.
    "CREATE TABLE queue_figure (
        queue smallint PRIMARY KEY,
        shown_until bigint NOT NULL,
        figures text NOT NULL
    )",
];
