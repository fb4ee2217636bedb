//! `/v1/user-tasks`, and where a task is done: what people have to do for executions.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::ExecutionId;
use domain::names::NodeId;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoQuery, OptionalJsonBody, PathOf, Query, UserTasksQuery};
use crate::json::RawJson;
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::executions::{CompletionBody, RoundBody};
use crate::shapes::operations::CommandAcceptedResponse;
use crate::shapes::user_tasks::UserTaskResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_user_tasks))
        .routes(routes!(get_user_task))
        .routes(routes!(get_user_task_input))
        .routes(routes!(claim_user_task))
        .routes(routes!(release_user_task))
        .routes(routes!(complete_user_task))
}

/// List user tasks, newest first
///
/// Lists open tasks if `status` is absent.
#[utoipa::path(
    get, path = "/v1/user-tasks", tag = "user tasks", params(UserTasksQuery),
    responses((status = 200, description = "User tasks.", body = ListOf<UserTaskResponse>))
)]
async fn list_user_tasks(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: UserTasksQuery,
) -> ApiResult<Json<ListOf<UserTaskResponse>>> {
    let tasks = state.engine.search_user_tasks(&caller, query.request()).await?;
    Ok(Json(query.answer(tasks, UserTaskResponse::in_list)))
}

/// How to show a user task.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TaskQuery {
    /// Maximum input size in bytes. A larger input is null and listed in `omitted` with its path (default: no maximum).
    max_payload: Option<usize>,
}

/// Show the latest user task of a node
#[utoipa::path(
    get, path = "/v1/user-tasks/{executionId}/{nodeId}", tag = "user tasks",
    params(("executionId" = String, Path), ("nodeId" = String, Path), TaskQuery),
    responses((status = 200, description = "The user task.", body = UserTaskResponse))
)]
async fn get_user_task(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, node)): PathOf<(ExecutionId, NodeId)>,
    Query(query): Query<TaskQuery>,
) -> ApiResult<Json<UserTaskResponse>> {
    let task = state.engine.user_task(&caller, id, &node).await?;
    Ok(Json(UserTaskResponse::within(task, query.max_payload)))
}

/// Get the input of the latest user task of a node
#[utoipa::path(
    get, path = "/v1/user-tasks/{executionId}/{nodeId}/input", tag = "user tasks",
    params(("executionId" = String, Path), ("nodeId" = String, Path)),
    responses((status = 200, description = "The input.", body = RawJson))
)]
async fn get_user_task_input(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, node)): PathOf<(ExecutionId, NodeId)>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(state.engine.user_task(&caller, id, &node).await?.input)))
}

/// Claim a user task
///
/// Prevents others of its group from completing it until it is released or reassigned.
#[utoipa::path(
    post, path = "/v1/user-tasks/{executionId}/{nodeId}/claim", tag = "user tasks",
    params(("executionId" = String, Path), ("nodeId" = String, Path)),
    request_body(content = RoundBody, description = "Optional."),
    responses((status = 200, description = "The user task.", body = UserTaskResponse))
)]
async fn claim_user_task(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, node)): PathOf<(ExecutionId, NodeId)>,
    OptionalJsonBody(body): OptionalJsonBody<RoundBody>,
) -> ApiResult<Json<UserTaskResponse>> {
    Ok(Json(state.engine.claim_user_task(&caller, id, &node, body.round).await?.into()))
}

/// Release a user task
///
/// Releases the caller's own claim; an operator can release any claim.
#[utoipa::path(
    post, path = "/v1/user-tasks/{executionId}/{nodeId}/release", tag = "user tasks",
    params(("executionId" = String, Path), ("nodeId" = String, Path)),
    request_body(content = RoundBody, description = "Optional."),
    responses((status = 200, description = "The user task.", body = UserTaskResponse))
)]
async fn release_user_task(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, node)): PathOf<(ExecutionId, NodeId)>,
    OptionalJsonBody(body): OptionalJsonBody<RoundBody>,
) -> ApiResult<Json<UserTaskResponse>> {
    Ok(Json(state.engine.release_user_task(&caller, id, &node, body.round).await?.into()))
}

/// Complete a user task
///
/// The output is validated against the task's form. Errors: 409 `user_task_not_open` if the task is closed, 409
/// `user_task_round` for another round, 409 `user_task_claimed` if someone else has claimed it. A task with an assignee
/// or group requires an API key of that person or group, or role `operator`.
#[utoipa::path(
    post, path = "/v1/executions/{id}/user-tasks/{nodeId}/complete", tag = "user tasks",
    params(("id" = String, Path), ("nodeId" = String, Path)),
    request_body(content = CompletionBody, description = "Optional."),
    responses((status = 202, description = "The command is stored durably.", body = CommandAcceptedResponse))
)]
async fn complete_user_task(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, node)): PathOf<(ExecutionId, NodeId)>,
    OptionalJsonBody(body): OptionalJsonBody<CompletionBody>,
) -> ApiResult<(StatusCode, Json<CommandAcceptedResponse>)> {
    let (round, output) = body.into_parts();
    let command_position = state.engine.complete_user_task(&caller, id, &node, round, output).await?;
    Ok((StatusCode::ACCEPTED, Json(CommandAcceptedResponse { command_position })))
}
