//! `/v1/batches`: the progress of bulk operations.

use axum::Json;
use axum::extract::State;
use domain::id::BatchId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoBody, PathOf};
use crate::problem::ApiResult;
use crate::shapes::operations::BatchResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(get_batch)).routes(routes!(abort_batch))
}

/// Show the progress of a bulk operation
#[utoipa::path(
    get, path = "/v1/batches/{id}", tag = "dead letters", params(("id" = String, Path)),
    responses((status = 200, description = "The bulk operation.", body = BatchResponse))
)]
async fn get_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
) -> ApiResult<Json<BatchResponse>> {
    Ok(Json(state.engine.batch(&caller, id).await?.into()))
}

/// Abort a bulk operation
///
/// Items that are already processed stay processed.
#[utoipa::path(
    post, path = "/v1/batches/{id}/abort", tag = "dead letters", params(("id" = String, Path)),
    responses((status = 200, description = "The bulk operation.", body = BatchResponse))
)]
async fn abort_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
    _: NoBody,
) -> ApiResult<Json<BatchResponse>> {
    Ok(Json(state.engine.abort_batch(&caller, id).await?.into()))
}
