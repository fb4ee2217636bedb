//! Calls of user tasks. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{Page, UserTask, UserTaskRound};
use crate::transport::{Request, segment};

impl Calls {
    /// List user tasks, newest first.
    /// Lists open tasks if `status` is absent.
    ///
    /// Action `userTasks.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_user_tasks(&self, query: &ListUserTasksQuery) -> Result<Page<UserTask>, ClientError> {
        self.call(Request::new("listUserTasks", "GET", "/v1/user-tasks").query(query)?).await
    }

    /// Show the latest user task of a node.
    /// Action `userTasks.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_user_task(
        &self,
        execution_id: &str,
        node_id: &str,
        query: &GetUserTaskQuery,
    ) -> Result<UserTask, ClientError> {
        self.call(
            Request::new(
                "getUserTask",
                "GET",
                format!("/v1/user-tasks/{}/{}", segment(execution_id), segment(node_id)),
            )
            .query(query)?,
        )
        .await
    }

    /// Claim a user task.
    /// Prevents others of its group from completing it until it is released or reassigned.
    ///
    /// Action `userTasks.claim`: requires role `admin`, `operator` or `client`.
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

    /// Get the input of the latest user task of a node.
    /// Action `userTasks.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_user_task_input(&self, execution_id: &str, node_id: &str) -> Result<Json, ClientError> {
        self.call(Request::new(
            "getUserTaskInput",
            "GET",
            format!("/v1/user-tasks/{}/{}/input", segment(execution_id), segment(node_id)),
        ))
        .await
    }

    /// Release a user task.
    /// Releases the caller's own claim; an operator can release any claim.
    ///
    /// Action `userTasks.claim`: requires role `admin`, `operator` or `client`.
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
    /// One of open, completed, timed_out, cancelled. Several values are separated by commas.
    pub status: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub group: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub assignee: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub workflow: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tenant: Option<String>,
    /// ID: `exe_` and 32 hexadecimal digits.
    pub execution: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub opened_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub opened_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub due_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub due_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub closed_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub closed_before: Option<String>,
    /// Same as `openedAfter`.
    pub from: Option<String>,
    /// Same as `openedBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: opened, due, closed (default `opened`).
    pub sort: Option<String>,
    /// `asc` or `desc` (default `desc`).
    pub order: Option<String>,
    /// Whether to count the matches, up to 10,000.
    pub count: Option<bool>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::get_user_task`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetUserTaskQuery {
    /// Maximum input size in bytes. A larger input is null and listed in `omitted` with its path (default: no maximum).
    pub max_payload: Option<i32>,
}
