//! `/v1/workflows`: register versions, look at them, pause and resume.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::names::{TenantName, WorkflowName};
use engine::{Caller, Registration};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{
    Identity, NoBody, PagesQuery, PathOf, Query, WorkflowBody, name_cursor, page_limit, position_cursor,
};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::workflows::{RegisteredShape, WorkflowModeShape, WorkflowShape};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(register_workflow, list_workflows))
        .routes(routes!(get_workflow))
        .routes(routes!(list_versions))
        .routes(routes!(get_version))
        .routes(routes!(pause_workflow))
        .routes(routes!(resume_workflow))
}

/// How to register.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct RegisterQuery {
    /// Only checks the definition and registers nothing.
    #[serde(default)]
    #[param(required = false)]
    validate: bool,
}

/// Register a version of a workflow
///
/// A version never changes: the same content again answers 200, other content under the same version 409.
#[utoipa::path(
    post, path = "/v1/workflows", tag = "workflows", params(RegisterQuery),
    request_body(
        description = "The definition.",
        content((serde_json::Value = "application/json"), (String = "application/yaml"))
    ),
    responses(
        (status = 201, description = "A new version.", body = WorkflowShape),
        (status = 200, description = "The same content was there already; with `validate`: it passed every check.",
         body = RegisteredShape),
    )
)]
async fn register_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<RegisterQuery>,
    body: WorkflowBody,
) -> ApiResult<(StatusCode, Json<RegisteredShape>)> {
    if query.validate {
        let parsed = state.engine.validate_workflow(&caller, &body.text, body.format)?;
        return Ok((StatusCode::OK, Json(RegisteredShape::Validated(parsed.into()))));
    }
    let (registration, version) = state.engine.register_workflow(&caller, &body.text, body.format).await?;
    let status = match registration {
        Registration::Created => StatusCode::CREATED,
        Registration::Same => StatusCode::OK,
    };
    Ok((status, Json(RegisteredShape::Version(Box::new(WorkflowShape::whole(version))))))
}

/// List the latest version of each workflow, by name
#[utoipa::path(
    get, path = "/v1/workflows", tag = "workflows", params(PagesQuery),
    responses((status = 200, description = "Workflows without their definitions.", body = ListOf<WorkflowShape>))
)]
async fn list_workflows(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<WorkflowShape>>> {
    let (limit, after) = (page_limit(query.limit)?, name_cursor(query.cursor)?);
    let rows = state.engine.list_workflows(&caller, after.as_deref(), limit + 1).await?;
    Ok(Json(ListOf::cut(rows, limit, |row| row.workflow.name.to_string(), WorkflowShape::in_list)))
}

/// Whose workflow.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TenantQuery {
    /// As this tenant sees the name; for keys that are bound to none.
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

impl TenantQuery {
    /// The tenant; what another tenant has is not there for a bound key.
    fn visible_to(self, caller: &Caller, name: &WorkflowName) -> ApiResult<Option<TenantName>> {
        match self.tenant {
            Some(tenant) if !caller.scope.allows(&tenant) => {
                Err(Problem::not_found("workflow", name.as_str()))
            }
            tenant => Ok(tenant),
        }
    }
}

/// Show the latest version of a workflow
#[utoipa::path(
    get, path = "/v1/workflows/{name}", tag = "workflows", params(("name" = String, Path), TenantQuery),
    responses((status = 200, description = "The version.", body = WorkflowShape))
)]
async fn get_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<WorkflowShape>> {
    let tenant = query.visible_to(&caller, &name)?;
    Ok(Json(WorkflowShape::whole(state.engine.workflow(&caller, &name, None, tenant).await?)))
}

/// List the versions of a workflow, newest first
#[utoipa::path(
    get, path = "/v1/workflows/{name}/versions", tag = "workflows", params(("name" = String, Path), PagesQuery),
    responses((status = 200, description = "Versions without their definitions.", body = ListOf<WorkflowShape>))
)]
async fn list_versions(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<WorkflowShape>>> {
    let (limit, below) = (page_limit(query.limit)?, position_cursor(query.cursor.as_deref())?);
    let rows = state.engine.workflow_versions(&caller, &name, below, limit + 1).await?;
    Ok(Json(ListOf::cut(rows, limit, |row| row.version.to_string(), WorkflowShape::in_list)))
}

/// Show a version of a workflow
#[utoipa::path(
    get, path = "/v1/workflows/{name}/versions/{version}", tag = "workflows",
    params(("name" = String, Path), ("version" = u32, Path), TenantQuery),
    responses((status = 200, description = "The version.", body = WorkflowShape))
)]
async fn get_version(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((name, version)): PathOf<(WorkflowName, u32)>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<WorkflowShape>> {
    let tenant = query.visible_to(&caller, &name)?;
    Ok(Json(WorkflowShape::whole(state.engine.workflow(&caller, &name, Some(version), tenant).await?)))
}

/// Pause a workflow
///
/// Its executions stay queued until it is resumed. New ones are accepted.
#[utoipa::path(
    post, path = "/v1/workflows/{name}/pause", tag = "workflows", params(("name" = String, Path)),
    responses((status = 200, description = "Whether it is paused.", body = WorkflowModeShape))
)]
async fn pause_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    _: NoBody,
) -> ApiResult<Json<WorkflowModeShape>> {
    state.engine.pause_workflow(&caller, &name, true).await?;
    Ok(Json(WorkflowModeShape { name: name.to_string(), paused: true }))
}

/// Resume a workflow
#[utoipa::path(
    post, path = "/v1/workflows/{name}/resume", tag = "workflows", params(("name" = String, Path)),
    responses((status = 200, description = "Whether it is paused.", body = WorkflowModeShape))
)]
async fn resume_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    _: NoBody,
) -> ApiResult<Json<WorkflowModeShape>> {
    state.engine.pause_workflow(&caller, &name, false).await?;
    Ok(Json(WorkflowModeShape { name: name.to_string(), paused: false }))
}
