//! Requeue or archive many dead letters. The work goes on after the answer.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use engine::{BulkAnswer, BulkRequest, Caller};

use crate::extract::{Identity, JsonBody};
use crate::problem::ApiResult;
use crate::shapes::bulk::{BulkArchiveBody, BulkRequeueBody, CountResponse};
use crate::shapes::operations::BatchResponse;
use crate::state::ApiState;

/// Requeue many dead letters
#[utoipa::path(
    post, path = "/v1/dead-letters/requeue", tag = "dead letters", request_body = BulkRequeueBody,
    responses(
        (status = 202, description = "The bulk operation is started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches.", body = CountResponse),
    )
)]
pub(super) async fn requeue_dead_letters(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkRequeueBody>,
) -> ApiResult<Response> {
    start(&state, &caller, body.into_request()).await
}

/// Archive many dead letters
#[utoipa::path(
    post, path = "/v1/dead-letters/archive", tag = "dead letters", request_body = BulkArchiveBody,
    responses(
        (status = 202, description = "The bulk operation is started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches.", body = CountResponse),
    )
)]
pub(super) async fn archive_dead_letters(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkArchiveBody>,
) -> ApiResult<Response> {
    start(&state, &caller, body.into_request()?).await
}

async fn start(state: &ApiState, caller: &Caller, request: BulkRequest) -> ApiResult<Response> {
    Ok(match state.engine.bulk_dead_letters(caller, request).await? {
        BulkAnswer::Count(count) => Json(CountResponse { count }).into_response(),
        BulkAnswer::Batch(batch) => (StatusCode::ACCEPTED, Json(BatchResponse::from(batch))).into_response(),
    })
}
