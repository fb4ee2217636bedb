//! Pause workflows, and let them go on.

use axum::Json;
use axum::extract::State;
use domain::names::WorkflowName;
use store::workflows::WorkflowPause;

use crate::extract::{Identity, NoBody, OptionalJsonBody, PathOf, Query, TenantQuery};
use crate::problem::ApiResult;
use crate::shapes::workflows::{NewRunsSchema, PauseBody, WorkflowModeResponse};
use crate::state::ApiState;

/// Pause a workflow
///
/// Executions stay queued until the workflow is resumed; a running execution continues until it waits or ends. New ones
/// are queued as well, or rejected with 409 `workflow_paused`.
#[utoipa::path(
    post, path = "/v1/workflows/{name}/pause", tag = "workflows", params(("name" = String, Path), TenantQuery),
    request_body(content = PauseBody, description = "Optional."),
    responses((status = 200, description = "The mode of the workflow.", body = WorkflowModeResponse))
)]
pub(super) async fn pause_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
    OptionalJsonBody(body): OptionalJsonBody<PauseBody>,
) -> ApiResult<Json<WorkflowModeResponse>> {
    let caller = caller.within(query.tenant)?;
    let pause = WorkflowPause::from(body.new_runs);
    state.engine.pause_workflow(&caller, &name, Some(pause)).await?;
    let new_runs = Some(NewRunsSchema::from(pause));
    Ok(Json(WorkflowModeResponse { name: name.to_string(), paused: true, new_runs }))
}

/// Resume a workflow
#[utoipa::path(
    post, path = "/v1/workflows/{name}/resume", tag = "workflows", params(("name" = String, Path), TenantQuery),
    responses((status = 200, description = "The mode of the workflow.", body = WorkflowModeResponse))
)]
pub(super) async fn resume_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
    _: NoBody,
) -> ApiResult<Json<WorkflowModeResponse>> {
    let caller = caller.within(query.tenant)?;
    state.engine.pause_workflow(&caller, &name, None).await?;
    Ok(Json(WorkflowModeResponse { name: name.to_string(), paused: false, new_runs: None }))
}
