//! Calls of executions. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::{CommandAccepted, ExecutionWhy, UserTaskCompletion};
use crate::transport::{Request, segment};

impl Calls {
    /// Complete a user task.
    /// The output is validated against the task's form. Errors: 409 `user_task_not_open` if the task is closed, 409
    /// `user_task_round` for another round, 409 `user_task_claimed` if someone else has claimed it. A task with an assignee
    /// or group requires an API key of that person or group, or role `operator`.
    ///
    /// Action `userTasks.complete`: requires role `admin`, `operator` or `client`.
    pub async fn complete_user_task(
        &self,
        id: &str,
        node_id: &str,
        body: &UserTaskCompletion,
    ) -> Result<CommandAccepted, ClientError> {
        self.call(
            Request::new(
                "completeUserTask",
                "POST",
                format!("/v1/executions/{}/user-tasks/{}/complete", segment(id), segment(node_id)),
            )
            .keyed()
            .body(body)?,
        )
        .await
    }

    /// Explain what an execution is waiting for.
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn why_execution(&self, id: &str) -> Result<ExecutionWhy, ClientError> {
        self.call(Request::new("whyExecution", "GET", format!("/v1/executions/{}/why", segment(id)))).await
    }
}
