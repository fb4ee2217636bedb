//! Source places of versions.

use axum::extract::State;
use axum::http::StatusCode;
use domain::names::WorkflowName;

use crate::extract::{Identity, JsonBody, NoQuery, PathOf};
use crate::problem::ApiResult;
use crate::shapes::workflows::SourceBody;
use crate::state::ApiState;

/// Set the source places of a version
///
/// Where each node is in the program that the version was compiled from. Not part of the definition or its content hash, and
/// may be set again.
#[utoipa::path(
    put, path = "/v1/workflows/{name}/versions/{version}/source", tag = "workflows",
    params(("name" = String, Path), ("version" = u32, Path)), request_body = SourceBody,
    responses((status = 204, description = "Stored."))
)]
pub(super) async fn put_source(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((name, version)): PathOf<(WorkflowName, u32)>,
    _: NoQuery,
    JsonBody(body): JsonBody<SourceBody>,
) -> ApiResult<StatusCode> {
    state.engine.set_workflow_source(&caller, &name, version, &body.into_places()?).await?;
    Ok(StatusCode::NO_CONTENT)
}
