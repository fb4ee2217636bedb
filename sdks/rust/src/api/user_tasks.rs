//! Calls of user tasks. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::models::{Page, UserTask, UserTaskRound};
use crate::timestamp::Timestamp;
use crate::transport::{Request, segment};

impl Calls {
    /// List user tasks, newest first.
    pub async fn list_user_tasks(&self, query: &ListUserTasksQuery) -> Result<Page<UserTask>, ClientError> {
        self.call(Request::new("listUserTasks", "GET", "/v1/user-tasks").query(query)?).await
    }

    /// Show the latest user task of a node.
    pub async fn get_user_task(&self, execution_id: &str, node_id: &str) -> Result<UserTask, ClientError> {
        self.call(Request::new(
            "getUserTask",
            "GET",
            format!("/v1/user-tasks/{}/{}", segment(execution_id), segment(node_id)),
        ))
        .await
    }

    /// Claim a user task.
    /// Prevents others of its group from completing it until it is released or reassigned.
    pub async fn claim_user_task(
        &self,
        execution_id: &str,
        node_id: &str,
        body: &UserTaskRound,
    ) -> Result<UserTask, ClientError> {
        self.call(
            Request::new(
                "claimUserTask",
                "POST",
                format!("/v1/user-tasks/{}/{}/claim", segment(execution_id), segment(node_id)),
            )
            .keyed()
            .body(body)?,
        )
        .await
    }

    /// Release a user task.
    /// Releases the caller's own claim; an operator can release any claim.
    pub async fn release_user_task(
        &self,
        execution_id: &str,
        node_id: &str,
        body: &UserTaskRound,
    ) -> Result<UserTask, ClientError> {
        self.call(
            Request::new(
                "releaseUserTask",
                "POST",
                format!("/v1/user-tasks/{}/{}/release", segment(execution_id), segment(node_id)),
            )
            .keyed()
            .body(body)?,
        )
        .await
    }
}

/// The query of [`Calls::list_user_tasks`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListUserTasksQuery {
    /// Person that the task is assigned to.
    pub assignee: Option<String>,
    /// Group that the task is assigned to.
    pub group: Option<String>,
    /// Status (default `open`).
    pub status: Option<String>,
    /// Name of the tenant.
    pub tenant: Option<String>,
    /// Name of the workflow.
    pub workflow: Option<String>,
    /// ID of the execution.
    pub execution: Option<String>,
    /// Due before this instant.
    pub due_before: Option<Timestamp>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
