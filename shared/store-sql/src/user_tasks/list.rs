//! Looking at user tasks: lists, and the latest of a node.

use domain::access::TenantScope;
use domain::id::{ExecutionId, Id};
use domain::names::{NodeId, TenantName, WorkflowName};
use domain::time::Timestamp;
use store::user_tasks::{UserTaskFilter, UserTaskRecord, UserTaskStatus};
use store::{Page, PageRequest, StoreResult};
use uuid::Uuid;

use super::rows::record_of;
use crate::pool::Pool;
use crate::select::Select;

/// User tasks, newest first.
pub(super) async fn list(
    pool: &Pool,
    scope: &TenantScope,
    filter: &UserTaskFilter,
    page: PageRequest,
) -> StoreResult<Page<UserTaskRecord>> {
    let mut select = Select::new("list_user_tasks", "SELECT t.* FROM user_task t WHERE true");
    select.with_some("AND t.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.with_some("AND t.tenant = $?", filter.tenant.as_ref().map(TenantName::as_str));
    if let Some(status) = filter.status {
        select.push(has_status(status));
    }
    select.with_some("AND t.assignee = $?", filter.assignee.as_deref());
    select.with_some("AND t.assigned_group = $?", filter.group.as_deref());
    select.with_some("AND t.workflow = $?", filter.workflow.as_ref().map(WorkflowName::as_str));
    select.with_some("AND t.execution_id = $?", filter.execution_id.map(Id::uuid));
    select.with_some("AND t.due_at < $?", filter.due_before.map(|Timestamp(millis)| millis));
    select.with_some("AND t.position < $?", page.after.map(position_of));
    select.with("ORDER BY t.position DESC LIMIT $?", i64::from(page.limit) + 1);
    let records: StoreResult<Vec<_>> =
        select.all(pool.delayed_lists()).await?.iter().map(record_of).collect();
    Ok(Page::cut(records?, page.limit, |record| cursor_of(record.position)))
}

/// The latest user task of a node: that of its highest round.
pub(super) async fn latest(
    pool: &Pool,
    scope: &TenantScope,
    id: ExecutionId,
    node_id: &NodeId,
) -> StoreResult<Option<UserTaskRecord>> {
    let mut select = Select::new("user_task", "SELECT t.* FROM user_task t WHERE true");
    select.with("AND t.execution_id = $?", id.uuid());
    select.with("AND t.node_id = $?", node_id.as_str());
    select.with_some("AND t.tenant = $?", scope.tenant().map(TenantName::as_str));
    select.push("ORDER BY t.round DESC LIMIT 1");
    select.first(pool.read()).await?.as_ref().map(record_of).transpose()
}

/// As text rather than as a value, so that the indexes of open tasks serve.
fn has_status(status: UserTaskStatus) -> &'static str {
    match status {
        UserTaskStatus::Open => "AND t.status = 'open'",
        UserTaskStatus::Completed => "AND t.status = 'completed'",
        UserTaskStatus::TimedOut => "AND t.status = 'timed_out'",
        UserTaskStatus::Cancelled => "AND t.status = 'cancelled'",
    }
}

/// Cursors are UUIDs everywhere; that of a user task holds its position.
fn cursor_of(position: i64) -> Uuid {
    Uuid::from_u128(u128::from(position.unsigned_abs()))
}

fn position_of(cursor: Uuid) -> i64 {
    i64::try_from(cursor.as_u128()).unwrap_or(i64::MAX)
}
