//! Executions that wait: parked jobs, children, user tasks, and workflows whose new runs are refused.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0003_waiting", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    "ALTER TABLE execution ADD COLUMN parent_id {uuid}",
    "ALTER TABLE execution ADD COLUMN parent_node_id text",
    "ALTER TABLE execution ADD COLUMN depth smallint NOT NULL DEFAULT 0",
    "CREATE INDEX execution_parent ON execution (parent_id, id) WHERE parent_id IS NOT NULL",
    // Parked executions by when the clock takes them up; those that wait for something outside only have the largest
    // number there is.
    "CREATE INDEX job_parked ON job (run_at) WHERE state = 'waiting'",
    // 1: new runs are refused while the workflow is paused; 0: they are accepted and stay queued.
    "ALTER TABLE workflow_pause ADD COLUMN refuses smallint NOT NULL DEFAULT 0",
    "CREATE TABLE user_task (
        position {identity},
        execution_id {uuid} NOT NULL,
        node_id text NOT NULL,
        round integer NOT NULL,
        tenant text NOT NULL,
        workflow_owner text NOT NULL,
        workflow text NOT NULL,
        status text NOT NULL CHECK (status IN ('open', 'completed', 'timed_out', 'cancelled')),
        assignee text,
        assigned_group text,
        form text,
        input text,
        opened_at bigint NOT NULL,
        due_at bigint,
        escalated_at bigint,
        closed_at bigint,
        completed_by text,
        UNIQUE (execution_id, node_id, round)
    )",
    "CREATE INDEX user_task_open ON user_task (tenant, position) WHERE status = 'open'",
    "CREATE INDEX user_task_assignee ON user_task (assignee, position) WHERE status = 'open'",
    "CREATE INDEX user_task_group ON user_task (assigned_group, position) WHERE status = 'open'",
    // Keys that the nodes of a cluster share and nobody sets: made by the first that needs one.
    "CREATE TABLE server_key (
        name text PRIMARY KEY,
        key {bytes} NOT NULL,
        created_at bigint NOT NULL
    )",
];
