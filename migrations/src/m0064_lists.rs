//! Indexes for the orders and filters of lists that are searched since: user tasks and the audit log, and what tells the
//! rows of workers apart.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0064_lists", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // Each status has an order of its own, so that open tasks are found behind any number of closed ones.
    "DROP INDEX user_task_open",
    "DROP INDEX user_task_assignee",
    "DROP INDEX user_task_group",
    "CREATE INDEX user_task_opened ON user_task (status, opened_at, position)",
    "CREATE INDEX user_task_tenant ON user_task (tenant, status, opened_at, position)",
    "CREATE INDEX user_task_assignee ON user_task (assignee, status, opened_at, position) WHERE assignee IS NOT NULL",
    "CREATE INDEX user_task_group ON user_task (assigned_group, status, opened_at, position)
        WHERE assigned_group IS NOT NULL",
    "CREATE INDEX user_task_due ON user_task (status, due_at, position) WHERE due_at IS NOT NULL",
    "CREATE INDEX user_task_closed ON user_task (status, closed_at, position) WHERE closed_at IS NOT NULL",
    // In the order of the list: lines of the same instant by their ids.
    "DROP INDEX audit_at",
    "DROP INDEX audit_tenant",
    "CREATE INDEX audit_at ON audit (at, id)",
    "CREATE INDEX audit_tenant ON audit (tenant, at, id)",
    // Null until the worker shows itself again.
    "ALTER TABLE worker ADD COLUMN key {uuid}",
];
