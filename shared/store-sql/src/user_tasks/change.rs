//! What commits of owners do to user tasks, for many executions at once.
//!
//! Of one task a commit can open, escalate and close in this order only, so the changes are carried out by kind.

use domain::names::NodeId;
use domain::time::Timestamp;
use domain::workflow::execution::{UserTaskEnd, UserTaskStatus};
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::executions::{OpenedTask, UserTaskChange};
use uuid::Uuid;

use crate::bind::{self, Cell};
use crate::dialect::Dialect;
use crate::sql::{DatabaseTransaction, Sql};

static OPEN: Sql = Sql::new(
    "open_user_tasks",
    "INSERT INTO user_task (execution_id, node_id, round, tenant, workflow_owner, workflow, status, assignee,
       assigned_group, form, input, opened_at, due_at)
     SELECT r.execution_id, r.node_id, r.round, e.tenant, e.workflow_owner, e.workflow, 'open', r.assignee,
       r.assigned_group, r.form, r.input, r.opened_at, r.due_at
     FROM {rows $1: place int, execution_id uuid, node_id text, round int, assignee text?, assigned_group text?, form text?, input text?, opened_at bigint, due_at bigint?} r
     JOIN execution e ON e.id = r.execution_id
     WHERE true ORDER BY r.place ON CONFLICT (execution_id, node_id, round) DO NOTHING",
);

// Without a new person or group the old ones keep it. Whoever has claimed it did not do it in time.
// $1 now
static ESCALATE: Sql = Sql::new(
    "escalate_user_tasks",
    "UPDATE user_task SET escalated_at = $1, claimed_by = NULL, claimed_at = NULL,
       assignee = CASE WHEN r.new_group IS NULL THEN COALESCE(r.new_assignee, user_task.assignee) ELSE r.new_assignee END,
       assigned_group = CASE WHEN r.new_assignee IS NULL THEN COALESCE(r.new_group, user_task.assigned_group)
         ELSE r.new_group END
     FROM {rows $2: key uuid, node text, nth int, new_assignee text?, new_group text?} r
     WHERE user_task.execution_id = r.key AND user_task.node_id = r.node AND user_task.round = r.nth
       AND user_task.status = 'open'",
);

// $1 now
static CLOSE: Sql = Sql::new(
    "close_user_tasks",
    "UPDATE user_task SET status = r.new_status, completed_by = r.actor, closed_at = $1
     FROM {rows $2: key uuid, node text, nth int, new_status text, actor text?} r
     WHERE user_task.execution_id = r.key AND user_task.node_id = r.node AND user_task.round = r.nth
       AND user_task.status = 'open'",
);

// $1 now
static CLOSE_ALL: Sql = Sql::new(
    "close_all_user_tasks",
    "UPDATE user_task SET status = 'cancelled', closed_at = $1
     WHERE execution_id {any $2 uuid} AND status = 'open'",
);

/// Carries out changes, each of an execution whose row the transaction has locked.
pub(crate) async fn change(
    on: &DatabaseTransaction,
    changes: &[(Uuid, &UserTaskChange)],
    now: Timestamp,
) -> StoreResult<()> {
    let mut opened: Vec<(Uuid, &OpenedTask)> = Vec::new();
    let mut escalated: Vec<[Cell<'_>; 5]> = Vec::new();
    let mut closed: Vec<[Cell<'_>; 5]> = Vec::new();
    for &(execution, change) in changes {
        match change {
            UserTaskChange::Open(task) => opened.push((execution, task)),
            UserTaskChange::Escalate { node_id, round, assignee, group } => escalated.push([
                Cell::Uuid(execution),
                Cell::Text(node_id.as_str()),
                round_cell(*round),
                Cell::TextOrNull(assignee.as_deref()),
                Cell::TextOrNull(group.as_deref()),
            ]),
            UserTaskChange::Close { node_id, round, end } => {
                let (status, actor) = end_columns(end);
                closed.push([
                    Cell::Uuid(execution),
                    Cell::Text(node_id.as_str()),
                    round_cell(*round),
                    Cell::Text(status),
                    Cell::TextOrNull(actor),
                ]);
            }
        }
    }
    open(on, &opened).await?;
    for (sql, rows) in [(&ESCALATE, escalated), (&CLOSE, closed)] {
        if !rows.is_empty() {
            let mut values = vec![now.0.into()];
            values.extend(bind::rows(Dialect::of(on.get_database_backend()), rows.into_iter()));
            sql.run(on, values).await?;
        }
    }
    Ok(())
}

/// Closes whatever is open of executions that ended without their owner.
pub(crate) async fn close_all(
    on: &DatabaseTransaction,
    executions: &[Uuid],
    now: Timestamp,
) -> StoreResult<()> {
    if executions.is_empty() {
        return Ok(());
    }
    let ids = bind::uuids(Dialect::of(on.get_database_backend()), executions.iter().copied());
    CLOSE_ALL.run(on, vec![now.0.into(), ids]).await.map(|_| ())
}

async fn open(on: &DatabaseTransaction, opened: &[(Uuid, &OpenedTask)]) -> StoreResult<()> {
    if opened.is_empty() {
        return Ok(());
    }
    let cells = opened.iter().enumerate().map(|(place, (execution, task))| {
        [
            Cell::Int(place as i32),
            Cell::Uuid(*execution),
            Cell::Text(NodeId::as_str(&task.node)),
            round_cell(task.round),
            Cell::TextOrNull(task.assignee.as_deref()),
            Cell::TextOrNull(task.group.as_deref()),
            Cell::TextOrNull(task.form.as_deref()),
            Cell::TextOrNull(task.input.as_deref()),
            Cell::Long(task.opened_at.0),
            Cell::LongOrNull(task.due_at.map(|instant| instant.0)),
        ]
    });
    let values = bind::rows(Dialect::of(on.get_database_backend()), cells);
    OPEN.run(on, values).await.map(|_| ())
}

fn round_cell(round: u32) -> Cell<'static> {
    Cell::Int(i32::try_from(round).unwrap_or(i32::MAX))
}

fn end_columns(end: &UserTaskEnd) -> (&'static str, Option<&str>) {
    let (status, actor) = match end {
        UserTaskEnd::Completed { actor } => (UserTaskStatus::Completed, Some(actor.as_str())),
        UserTaskEnd::TimedOut => (UserTaskStatus::TimedOut, None),
        UserTaskEnd::Cancelled => (UserTaskStatus::Cancelled, None),
    };
    (status.as_str(), actor)
}
