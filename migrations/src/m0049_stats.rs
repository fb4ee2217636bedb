//! Figures of queues by minute and hour, and the processes that make them.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0049_stats", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // `step` is in minutes. `tenant` and `workflow` are '' in the rows of all of them. `wait_…` and `run_…` are the buckets of
    // the histograms.
    "CREATE TABLE stat (
        step smallint NOT NULL,
        tenant text NOT NULL,
        workflow text NOT NULL,
        at bigint NOT NULL,
        queue smallint NOT NULL,
        tier smallint NOT NULL,
        enqueued bigint NOT NULL DEFAULT 0,
        claimed bigint NOT NULL DEFAULT 0,
        completed bigint NOT NULL DEFAULT 0,
        failed bigint NOT NULL DEFAULT 0,
        dead_lettered bigint NOT NULL DEFAULT 0,
        run_ms bigint NOT NULL DEFAULT 0,
        queued bigint NOT NULL DEFAULT 0,
        processing bigint NOT NULL DEFAULT 0,
        oldest_age_ms bigint NOT NULL DEFAULT 0,
        wait_0 bigint NOT NULL DEFAULT 0,
        wait_1 bigint NOT NULL DEFAULT 0,
        wait_2 bigint NOT NULL DEFAULT 0,
        wait_3 bigint NOT NULL DEFAULT 0,
        wait_4 bigint NOT NULL DEFAULT 0,
        wait_5 bigint NOT NULL DEFAULT 0,
        wait_6 bigint NOT NULL DEFAULT 0,
        wait_7 bigint NOT NULL DEFAULT 0,
        wait_8 bigint NOT NULL DEFAULT 0,
        wait_9 bigint NOT NULL DEFAULT 0,
        wait_10 bigint NOT NULL DEFAULT 0,
        wait_11 bigint NOT NULL DEFAULT 0,
        wait_12 bigint NOT NULL DEFAULT 0,
        wait_13 bigint NOT NULL DEFAULT 0,
        wait_14 bigint NOT NULL DEFAULT 0,
        wait_15 bigint NOT NULL DEFAULT 0,
        wait_16 bigint NOT NULL DEFAULT 0,
        wait_17 bigint NOT NULL DEFAULT 0,
        run_0 bigint NOT NULL DEFAULT 0,
        run_1 bigint NOT NULL DEFAULT 0,
        run_2 bigint NOT NULL DEFAULT 0,
        run_3 bigint NOT NULL DEFAULT 0,
        run_4 bigint NOT NULL DEFAULT 0,
        run_5 bigint NOT NULL DEFAULT 0,
        run_6 bigint NOT NULL DEFAULT 0,
        run_7 bigint NOT NULL DEFAULT 0,
        run_8 bigint NOT NULL DEFAULT 0,
        run_9 bigint NOT NULL DEFAULT 0,
        run_10 bigint NOT NULL DEFAULT 0,
        run_11 bigint NOT NULL DEFAULT 0,
        run_12 bigint NOT NULL DEFAULT 0,
        run_13 bigint NOT NULL DEFAULT 0,
        run_14 bigint NOT NULL DEFAULT 0,
        run_15 bigint NOT NULL DEFAULT 0,
        run_16 bigint NOT NULL DEFAULT 0,
        run_17 bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (step, tenant, workflow, at, queue, tier)
    ) {hot}",
    "CREATE INDEX stat_age ON stat (step, at)",
    // `roles` is JSON. A process that is silent is not listed, and forgotten later.
    "CREATE TABLE server (
        id {uuid} PRIMARY KEY,
        version text NOT NULL,
        roles text NOT NULL,
        started_at bigint NOT NULL,
        last_seen_at bigint NOT NULL,
        clock_offset_ms bigint NOT NULL
    )",
];
