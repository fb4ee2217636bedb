//! Workflows as pictures.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use domain::names::WorkflowName;
use domain::workflow::graph_text::mermaid;
use engine::Caller;
use store::workflows::WorkflowVersion;

use super::read::TenantQuery;
use crate::extract::{Identity, PathOf, Query};
use crate::problem::ApiResult;
use crate::state::ApiState;

/// Get the latest version of a workflow as a flowchart
#[utoipa::path(
    get, path = "/v1/workflows/{name}/graph", tag = "workflows", params(("name" = String, Path), TenantQuery),
    responses((status = 200, description = "A Mermaid flowchart.", body = String, content_type = "text/plain"))
)]
pub(super) async fn get_graph(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<impl IntoResponse> {
    let tenant = query.visible_to(&caller, &name)?;
    let version = state.engine.workflow(&caller, &name, None, tenant).await?;
    drawn(&state, &caller, &version).await
}

/// Get a version of a workflow as a flowchart
#[utoipa::path(
    get, path = "/v1/workflows/{name}/versions/{version}/graph", tag = "workflows",
    params(("name" = String, Path), ("version" = u32, Path), TenantQuery),
    responses((status = 200, description = "A Mermaid flowchart.", body = String, content_type = "text/plain"))
)]
pub(super) async fn get_version_graph(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((name, version)): PathOf<(WorkflowName, u32)>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<impl IntoResponse> {
    let tenant = query.visible_to(&caller, &name)?;
    let version = state.engine.workflow(&caller, &name, Some(version), tenant).await?;
    drawn(&state, &caller, &version).await
}

async fn drawn(
    state: &ApiState,
    caller: &Caller,
    version: &WorkflowVersion,
) -> ApiResult<impl IntoResponse + use<>> {
    let definition = state.engine.parsed_workflow(caller, version).await?;
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], mermaid(&definition)))
}
