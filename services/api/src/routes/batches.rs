//! `/v1/batches`: the progress of bulk operations, what they changed, and how to stop them.

use axum::Json;
use axum::extract::State;
use domain::id::BatchId;
use serde::Deserialize;
use store::batches::ItemOutcome;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{BatchesQuery, Identity, NoBody, PathOf, Query, page_limit, position_cursor};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::batches::{BatchItemResponse, BatchResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_batches))
        .routes(routes!(get_batch))
        .routes(routes!(list_batch_items))
        .routes(routes!(abort_batch))
        .routes(routes!(pause_batch))
        .routes(routes!(resume_batch))
}

/// Which objects of a bulk operation to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ItemsQuery {
    /// `done`, `failed` or `skipped`. Several values are separated by commas.
    outcome: Option<String>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// List bulk operations, newest first
#[utoipa::path(
    get, path = "/v1/batches", tag = "bulk operations", params(BatchesQuery),
    responses((status = 200, description = "Bulk operations.", body = ListOf<BatchResponse>))
)]
async fn list_batches(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: BatchesQuery,
) -> ApiResult<Json<ListOf<BatchResponse>>> {
    let batches = state.engine.search_batches(&caller, query.request()).await?;
    Ok(Json(query.answer(batches, BatchResponse::from)))
}

/// Show the progress of a bulk operation
#[utoipa::path(
    get, path = "/v1/batches/{id}", tag = "bulk operations", params(("id" = String, Path)),
    responses((status = 200, description = "The bulk operation.", body = BatchResponse))
)]
async fn get_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
) -> ApiResult<Json<BatchResponse>> {
    Ok(Json(state.engine.batch(&caller, id).await?.into()))
}

/// List what became of the objects of a bulk operation, in its order
#[utoipa::path(
    get, path = "/v1/batches/{id}/items", tag = "bulk operations", params(("id" = String, Path), ItemsQuery),
    responses((status = 200, description = "Objects that have had their turn.", body = ListOf<BatchItemResponse>))
)]
async fn list_batch_items(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
    Query(query): Query<ItemsQuery>,
) -> ApiResult<Json<ListOf<BatchItemResponse>>> {
    let expected = || Problem::fault("/outcome", "expected done, failed or skipped");
    let outcomes = query.outcome.as_deref().into_iter().flat_map(|text| text.split(','));
    let outcomes: Vec<ItemOutcome> =
        outcomes.map(|text| ItemOutcome::parse(text).ok_or_else(expected)).collect::<ApiResult<_>>()?;
    let limit = page_limit(query.limit)?;
    let after = position_cursor(query.cursor.as_deref())?.unwrap_or(0);
    let items = state.engine.batch_items(&caller, id, &outcomes, after, limit + 1).await?;
    Ok(Json(ListOf::cut(items, limit, |line| line.item.position.to_string(), BatchItemResponse::from)))
}

/// Abort a bulk operation
///
/// Objects that are already changed stay changed.
#[utoipa::path(
    post, path = "/v1/batches/{id}/abort", tag = "bulk operations", params(("id" = String, Path)),
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

/// Pause a bulk operation
#[utoipa::path(
    post, path = "/v1/batches/{id}/pause", tag = "bulk operations", params(("id" = String, Path)),
    responses((status = 200, description = "The bulk operation.", body = BatchResponse))
)]
async fn pause_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
    _: NoBody,
) -> ApiResult<Json<BatchResponse>> {
    Ok(Json(state.engine.pause_batch(&caller, id).await?.into()))
}

/// Resume a paused bulk operation
#[utoipa::path(
    post, path = "/v1/batches/{id}/resume", tag = "bulk operations", params(("id" = String, Path)),
    responses((status = 200, description = "The bulk operation.", body = BatchResponse))
)]
async fn resume_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
    _: NoBody,
) -> ApiResult<Json<BatchResponse>> {
    Ok(Json(state.engine.resume_batch(&caller, id).await?.into()))
}
