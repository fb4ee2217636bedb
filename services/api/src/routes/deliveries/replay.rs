//! Replay one delivery.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::DeliveryId;

use crate::extract::{Identity, OptionalJsonBody, PathOf};
use crate::problem::ApiResult;
use crate::shapes::deliveries::{ReplayBody, ReplayedResponse};
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
