//! Rate keys of callers' own: a part of the lane.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration =
    SqlMigration::new("m0054_rate_keys", &[]).on_postgres(POSTGRES).on_sqlite(SQLITE);

const POSTGRES: &[&str] = &[
    "ALTER TABLE lane ADD COLUMN rate_key text NOT NULL DEFAULT ''",
    "ALTER TABLE lane DROP CONSTRAINT lane_queue_tier_tenant_workflow_owner_workflow_job_type_key",
    "ALTER TABLE lane ADD CONSTRAINT lane_key
        UNIQUE (queue, tier, tenant, workflow_owner, workflow, job_type, rate_key)",
];

// A constraint of a table cannot be dropped there. Numbers go on where they were: none is ever used twice.
const SQLITE: &[&str] = &[
    "CREATE TABLE lane_with_keys (
        id {identity},
        queue smallint NOT NULL,
        tier smallint NOT NULL,
        tenant text NOT NULL,
        workflow_owner text NOT NULL,
        workflow text NOT NULL,
        job_type text NOT NULL,
        mark bigint,
        rate_key text NOT NULL DEFAULT '',
        UNIQUE (queue, tier, tenant, workflow_owner, workflow, job_type, rate_key)
    )",
    "INSERT INTO lane_with_keys (id, queue, tier, tenant, workflow_owner, workflow, job_type, mark)
     SELECT id, queue, tier, tenant, workflow_owner, workflow, job_type, mark FROM lane",
    "DELETE FROM sqlite_sequence WHERE name = 'lane_with_keys'",
    "INSERT INTO sqlite_sequence (name, seq) SELECT 'lane_with_keys', seq FROM sqlite_sequence WHERE name = 'lane'",
    "DROP TABLE lane",
    "ALTER TABLE lane_with_keys RENAME TO lane",
    "CREATE INDEX lane_tier ON lane (queue, tier, id)",
    "CREATE INDEX lane_tenant ON lane (tenant, id)",
];
