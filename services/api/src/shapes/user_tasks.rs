//! User tasks: what people have to do for executions.

use domain::id::ExecutionId;
use domain::time::Timestamp;
use serde::Serialize;
use store::user_tasks::UserTaskRecord;
use utoipa::ToSchema;

use super::list::{OmittedPayloadResponse, PayloadBound};
use super::words::UserTaskStatusSchema;
use crate::json::RawJson;

/// Lists leave larger inputs out.
const LISTED_BYTES_MAX: usize = 4 << 10;

/// A user task.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = UserTask)]
pub(crate) struct UserTaskResponse {
    #[schema(value_type = String)]
    execution_id: ExecutionId,
    node_id: String,
    /// Round of the node, from 1; a retry or a `repeat` creates a new task.
    round: u32,
    workflow: String,
    tenant: String,
    #[schema(value_type = UserTaskStatusSchema)]
    status: &'static str,
    /// Assignee.
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee: Option<String>,
    /// Candidate group.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    /// JSON Schema of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<RawJson>,
    /// Input of the task, shown to the user. Lists omit inputs above 4 KiB; read the task instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<RawJson>,
    #[schema(value_type = String, format = DateTime)]
    opened_at: Timestamp,
    /// Due time.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    due_at: Option<Timestamp>,
    /// When the task was escalated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    escalated_at: Option<Timestamp>,
    /// When the task was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    closed_at: Option<Timestamp>,
    /// ID of the API key that completed the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_by: Option<String>,
    /// User who has claimed the task, or the ID of an API key without a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_by: Option<String>,
    /// When it was claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    claimed_at: Option<Timestamp>,
    /// The input, if it is larger than `maxPayload` and therefore null here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    omitted: Vec<OmittedPayloadResponse>,
}

impl UserTaskResponse {
    /// A task in a list.
    pub(crate) fn in_list(mut task: UserTaskRecord) -> Self {
        task.input = task.input.filter(|text| text.len() <= LISTED_BYTES_MAX);
        Self::from(task)
    }

    /// A task, with its input unless that has more bytes than these.
    pub(crate) fn within(mut task: UserTaskRecord, payload_max: Option<usize>) -> Self {
        let base = format!("/v1/user-tasks/{}/{}", task.execution_id, task.node_id);
        let mut bound = PayloadBound::new(payload_max, base);
        task.input = task.input.map(|text| bound.field("input", text));
        Self { omitted: bound.omitted(), ..Self::from(task) }
    }
}

impl From<UserTaskRecord> for UserTaskResponse {
    fn from(task: UserTaskRecord) -> Self {
        Self {
            execution_id: task.execution_id,
            node_id: task.node_id.to_string(),
            round: task.round,
            workflow: task.workflow.name.to_string(),
            tenant: task.tenant.to_string(),
            status: task.status.as_str(),
            assignee: task.assignee,
            group: task.group,
            form: task.form.map(RawJson::stored),
            input: task.input.map(RawJson::payload),
            opened_at: task.opened_at,
            due_at: task.due_at,
            escalated_at: task.escalated_at,
            closed_at: task.closed_at,
            completed_by: task.completed_by,
            claimed_by: task.claimed_by,
            claimed_at: task.claimed_at,
            omitted: Vec::new(),
        }
    }
}
