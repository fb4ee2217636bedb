//! Schedules and the history of their slots.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0002_schedules", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "CREATE TABLE schedule (
        id {uuid} PRIMARY KEY,
        tenant text NOT NULL,
        name text NOT NULL,
        workflow_owner text NOT NULL,
        workflow text NOT NULL,
        cron text NOT NULL,
        timezone text NOT NULL,
        input text NOT NULL,
        tier smallint NOT NULL,
        misfire text NOT NULL,
        catch_up_window_ms bigint NOT NULL,
        catch_up_max integer NOT NULL,
        overlap text NOT NULL,
        jitter_ms bigint NOT NULL,
        start_at bigint,
        end_at bigint,
        is_paused smallint NOT NULL,
        version bigint NOT NULL,
        cursor_at bigint NOT NULL,
        next_run_at bigint,
        waiting_at bigint,
        tzdb_version text NOT NULL,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        UNIQUE (tenant, name)
    ) {hot}",
    // With the id, so that a part of those that are due in the same minute is read without sorting all of them.
    "CREATE INDEX schedule_due ON schedule (next_run_at, id) WHERE next_run_at IS NOT NULL AND is_paused = 0",
    // The slot that waits for what runs: the same that is 'waiting' in schedule_run.
    "CREATE INDEX schedule_waiting ON schedule (waiting_at, id) WHERE waiting_at IS NOT NULL AND is_paused = 0",
    "CREATE INDEX schedule_tenant ON schedule (tenant, id)",
    // One row a slot: firing one twice is impossible because of this key, not because of who does it.
    "CREATE TABLE schedule_run (
        schedule_id {uuid} NOT NULL,
        nominal_at bigint NOT NULL,
        reason text NOT NULL,
        status text NOT NULL CHECK (status IN ('fired', 'waiting', 'skipped')),
        skip_reason text,
        execution_id {uuid},
        decided_at bigint NOT NULL,
        PRIMARY KEY (schedule_id, nominal_at)
    )",
    "CREATE INDEX schedule_run_age ON schedule_run (decided_at)",
    // Which executions of a schedule have not ended: a fact of the execution's own row, so that nothing has to be
    // kept in step when one ends, or is taken up again.
    "ALTER TABLE execution ADD COLUMN schedule_id {uuid}",
    "CREATE INDEX execution_open_of_schedule ON execution (schedule_id, created_at, id)
        WHERE schedule_id IS NOT NULL AND completed_at IS NULL",
];
