//! Look at workflows and their versions.

use axum::Json;
use axum::extract::State;
use domain::names::{TenantName, WorkflowName};
use engine::Caller;
use serde::Deserialize;
use store::workflows::WorkflowVersion;
use utoipa::IntoParams;

use crate::extract::{Identity, PagesQuery, PathOf, Query, name_cursor, page_limit, position_cursor};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::workflows::WorkflowResponse;
use crate::state::ApiState;

/// List the latest version of each workflow, by name
#[utoipa::path(
    get, path = "/v1/workflows", tag = "workflows", params(PagesQuery),
    responses((status = 200, description = "Workflows without their definitions.", body = ListOf<WorkflowResponse>))
)]
pub(super) async fn list_workflows(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<WorkflowResponse>>> {
    let (limit, after) = (page_limit(query.limit)?, name_cursor(query.cursor)?);
    let rows = state.engine.list_workflows(&caller, after.as_deref(), limit + 1).await?;
    Ok(Json(ListOf::cut(rows, limit, |row| row.workflow.name.to_string(), WorkflowResponse::in_list)))
}

/// Whose workflow.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TenantQuery {
    /// Resolves the name for this tenant; for keys that are not bound to a tenant.
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

impl TenantQuery {
    /// The tenant; what another tenant has is not there for a bound key.
    pub(super) fn visible_to(self, caller: &Caller, name: &WorkflowName) -> ApiResult<Option<TenantName>> {
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
    responses((status = 200, description = "The version.", body = WorkflowResponse))
)]
pub(super) async fn get_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<WorkflowResponse>> {
    let tenant = query.visible_to(&caller, &name)?;
    whole(&state, &caller, state.engine.workflow(&caller, &name, None, tenant).await?).await
}

/// List the versions of a workflow, newest first
#[utoipa::path(
    get, path = "/v1/workflows/{name}/versions", tag = "workflows", params(("name" = String, Path), PagesQuery),
    responses((status = 200, description = "Versions without their definitions.", body = ListOf<WorkflowResponse>))
)]
pub(super) async fn list_versions(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<WorkflowResponse>>> {
    let (limit, below) = (page_limit(query.limit)?, position_cursor(query.cursor.as_deref())?);
    let rows = state.engine.workflow_versions(&caller, &name, below, limit + 1).await?;
    Ok(Json(ListOf::cut(rows, limit, |row| row.version.to_string(), WorkflowResponse::in_list)))
}

/// Show a version of a workflow
#[utoipa::path(
    get, path = "/v1/workflows/{name}/versions/{version}", tag = "workflows",
    params(("name" = String, Path), ("version" = u32, Path), TenantQuery),
    responses((status = 200, description = "The version.", body = WorkflowResponse))
)]
pub(super) async fn get_version(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((name, version)): PathOf<(WorkflowName, u32)>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<WorkflowResponse>> {
    let tenant = query.visible_to(&caller, &name)?;
    whole(&state, &caller, state.engine.workflow(&caller, &name, Some(version), tenant).await?).await
}

/// A version with its definition and source places.
async fn whole(
    state: &ApiState,
    caller: &Caller,
    version: WorkflowVersion,
) -> ApiResult<Json<WorkflowResponse>> {
    let source = state.engine.workflow_source(caller, &version).await?;
    Ok(Json(WorkflowResponse::whole(version).with_source(source)))
}
