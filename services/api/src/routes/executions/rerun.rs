//! Run an execution again from a chosen node.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::ExecutionId;

use crate::extract::{Identity, JsonBody, PathOf};
use crate::json::RawJson;
use crate::problem::{ApiResult, Problem};
use crate::shapes::executions::{CreatedResponse, RerunBody};
use crate::state::ApiState;

/// Rerun an execution from a node
///
/// Starts a new execution of the same version. Results of nodes that do not follow the given node are reused;
/// those nodes do not run again. A failed rerun compensates its own nodes, and the reused ones
/// only with `compensateOriginal`.
#[utoipa::path(
    post, path = "/v1/executions/{id}/rerun", tag = "executions", params(("id" = String, Path)),
    request_body = RerunBody,
    responses((status = 202, description = "The new execution is accepted.", body = CreatedResponse))
)]
pub(super) async fn rerun_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    JsonBody(body): JsonBody<RerunBody>,
) -> ApiResult<(StatusCode, Json<CreatedResponse>)> {
    let from = body.from_node.ok_or_else(|| Problem::fault("/fromNode", "is required"))?;
    let input = body.input.map(RawJson::into_text);
    let created = state.engine.rerun_execution(&caller, id, &from, input, body.compensate_original).await?;
    Ok((StatusCode::ACCEPTED, Json(created.into())))
}
