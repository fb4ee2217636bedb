//! `/v1/workflows`: register versions, look at them, draw them, pause and resume; and the schema of definitions.

mod read;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::names::WorkflowName;
use engine::Registration;
use serde::Deserialize;
use store::workflows::WorkflowPause;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{
    Identity, JsonBody, NoBody, OptionalJsonBody, PathOf, Query, TenantQuery, WorkflowBody,
};
use crate::problem::ApiResult;
use crate::shapes::simulations::{SimulationBody, SimulationResponse};
use crate::shapes::workflows::{
    NewRunsSchema, PauseBody, RegisteredResponse, WorkflowModeResponse, WorkflowResponse,
};
use crate::state::ApiState;

// Register versions of workflows, or only check them.

/// How to register.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct RegisterQuery {
    /// Validates the definition without registering it.
    #[serde(default)]
    #[param(required = false)]
    validate: bool,
}

/// Register a version of a workflow
///
/// Versions are immutable: the same content again returns 200, different content under the same version returns 409.
#[utoipa::path(
    post, path = "/v1/workflows", tag = "workflows", params(RegisterQuery),
    request_body(
        description = "The definition.",
        content((serde_json::Value = "application/json"), (String = "application/yaml"))
    ),
    responses(
        (status = 201, description = "A new version.", body = WorkflowResponse),
        (status = 200, description = "The version already exists with the same content; with `validate`: the definition is valid.",
         body = RegisteredResponse),
    )
)]
async fn register_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<RegisterQuery>,
    body: WorkflowBody,
) -> ApiResult<(StatusCode, Json<RegisteredResponse>)> {
    if query.validate {
        let parsed = state.engine.validate_workflow(&caller, &body.text, body.format).await?;
        return Ok((StatusCode::OK, Json(RegisteredResponse::Validated(parsed.into()))));
    }
    let (registration, version) = state.engine.register_workflow(&caller, &body.text, body.format).await?;
    let status = match registration {
        Registration::Created => StatusCode::CREATED,
        Registration::Same => StatusCode::OK,
    };
    Ok((status, Json(RegisteredResponse::Version(Box::new(WorkflowResponse::registered(version))))))
}

// Pause workflows, and let them go on.

/// Pause a workflow
///
/// Executions stay queued until the workflow is resumed; a running execution continues until it waits or ends. New ones
/// are queued as well, or rejected with 409 `workflow_paused`.
#[utoipa::path(
    post, path = "/v1/workflows/{name}/pause", tag = "workflows", params(("name" = String, Path), TenantQuery),
    request_body(content = PauseBody, description = "Optional."),
    responses((status = 200, description = "The mode of the workflow.", body = WorkflowModeResponse))
)]
async fn pause_workflow(
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
async fn resume_workflow(
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

// Run a definition on paper.

/// Simulate a workflow
///
/// Runs a definition with the results that you give in place of handlers, people and other systems. Nothing is stored,
/// no job is created, and the clock jumps to the next timer. At a node without a result, the run ends and reports what
/// it waits for.
#[utoipa::path(
    post, path = "/v1/workflows/simulate", tag = "workflows", request_body = SimulationBody,
    responses((status = 200, description = "The state in which the execution ended or waits.", body = SimulationResponse))
)]
async fn simulate_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<SimulationBody>,
) -> ApiResult<Json<SimulationResponse>> {
    let simulation = state.engine.simulate_workflow(&caller, body.into_request()?).await?;
    Ok(Json(SimulationResponse::from(simulation)))
}

// Which call is answered where.

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(register_workflow, read::list_workflows))
        .routes(routes!(read::get_schema))
        .routes(routes!(simulate_workflow))
        .routes(routes!(read::get_workflow))
        .routes(routes!(read::get_graph))
        .routes(routes!(read::list_versions))
        .routes(routes!(read::get_version))
        .routes(routes!(read::put_source))
        .routes(routes!(read::get_version_graph))
        .routes(routes!(pause_workflow))
        .routes(routes!(resume_workflow))
}

/// The route that needs no caller.
pub(in crate::routes) fn open() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(read::get_published_schema))
}
