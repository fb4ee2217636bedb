//! Replay one delivery, or many.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::id::DeliveryId;
use engine::BulkAnswer;

use crate::extract::{Identity, JsonBody, OptionalJsonBody, PathOf};
use crate::problem::ApiResult;
use crate::shapes::bulk::CountResponse;
use crate::shapes::deliveries::{BulkReplayBody, ReplayBody, ReplayedResponse};
use crate::shapes::operations::BatchResponse;
use crate::state::ApiState;

/// Replay a delivery
///
/// Creates a delivery with the same body and evaluates the current triggers. The signature is not verified again, and
/// deduplication does not apply. Triggers that have already started a workflow for the delivery start it again only
/// with `allTriggers`.
#[utoipa::path(
    post, path = "/v1/deliveries/{id}/replay", tag = "deliveries", params(("id" = String, Path)),
    request_body(content = ReplayBody, description = "Optional."),
    responses((status = 202, description = "The new delivery is stored durably.", body = ReplayedResponse))
)]
pub(super) async fn replay_delivery(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeliveryId>,
    OptionalJsonBody(body): OptionalJsonBody<ReplayBody>,
) -> ApiResult<(StatusCode, Json<ReplayedResponse>)> {
    let delivery_id = state.engine.replay_delivery(&caller, id, body.all_triggers).await?;
    Ok((StatusCode::ACCEPTED, Json(ReplayedResponse { delivery_id, replay_of: id })))
}

/// Replay many deliveries
///
/// The operation continues in the background.
#[utoipa::path(
    post, path = "/v1/deliveries/replay", tag = "deliveries", request_body = BulkReplayBody,
    responses(
        (status = 202, description = "The bulk operation is started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches.", body = CountResponse),
    )
)]
pub(super) async fn replay_deliveries(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkReplayBody>,
) -> ApiResult<Response> {
    Ok(match state.engine.replay_deliveries(&caller, body.into()).await? {
        BulkAnswer::Count(count) => Json(CountResponse { count }).into_response(),
        BulkAnswer::Batch(batch) => (StatusCode::ACCEPTED, Json(BatchResponse::from(batch))).into_response(),
    })
}
