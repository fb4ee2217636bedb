//! Rows of `user_task`.

use domain::id::ExecutionId;
use domain::names::{NodeId, TenantName};
use sea_orm::QueryResult;
use store::StoreResult;
use store::user_tasks::{UserTaskRecord, UserTaskStatus};

use crate::rows::Row;

/// Reads a row with the columns of `user_task`.
pub(crate) fn record_of(row: &QueryResult) -> StoreResult<UserTaskRecord> {
    let row = Row::new("user_task", row);
    Ok(UserTaskRecord {
        position: row.long("position")?,
        execution_id: ExecutionId::from_uuid(row.uuid("execution_id")?),
        node_id: row.name("node_id", NodeId::trusted)?,
        round: row.count("round")?,
        tenant: row.name("tenant", TenantName::trusted)?,
        workflow: row.workflow()?.ok_or_else(|| row.fault("workflow"))?,
        status: row.parsed("status", parse_status)?,
        assignee: row.text_or_null("assignee")?,
        group: row.text_or_null("assigned_group")?,
        form: row.text_or_null("form")?,
        input: row.text_or_null("input")?,
        opened_at: row.instant("opened_at")?,
        due_at: row.instant_or_null("due_at")?,
        escalated_at: row.instant_or_null("escalated_at")?,
        closed_at: row.instant_or_null("closed_at")?,
        completed_by: row.text_or_null("completed_by")?,
        claimed_by: row.text_or_null("claimed_by")?,
        claimed_at: row.instant_or_null("claimed_at")?,
    })
}

fn parse_status(text: &str) -> Option<UserTaskStatus> {
    match text {
        "open" => Some(UserTaskStatus::Open),
        "completed" => Some(UserTaskStatus::Completed),
        "timed_out" => Some(UserTaskStatus::TimedOut),
        "cancelled" => Some(UserTaskStatus::Cancelled),
        _ => None,
    }
}
