//! Rotate the secret, test, pause, resume.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::id::WebhookId;

use super::once::answer;
use crate::extract::{Identity, NoBody, OptionalJsonBody, PathOf};
use crate::problem::ApiResult;
use crate::shapes::webhooks::{RotateSecretBody, RotatedResponse, TestedResponse, WebhookResponse};
use crate::state::ApiState;

/// Give a webhook endpoint another secret
///
/// Old and new ones hold for the overlap; set the new one at the provider meanwhile. One that is made here is in this
/// answer only.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/rotate-secret", tag = "webhooks", params(("id" = String, Path)),
    request_body(content = RotateSecretBody, description = "May be left out."),
    responses((status = 200, description = "The endpoint with the new secret.", body = RotatedResponse))
)]
pub(super) async fn rotate_secret(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
    OptionalJsonBody(body): OptionalJsonBody<RotateSecretBody>,
) -> ApiResult<Response> {
    let saved = state.engine.rotate_webhook_secret(&caller, id, body.into()).await?;
    answer(StatusCode::OK, RotatedResponse::new(saved))
}

/// Send a signed sample to a webhook endpoint
///
/// It goes the way of any delivery: verified, stored, matched against the triggers, whose workflows really start. 409
/// `cannot_sign` where the provider signs with a private key, `webhook_secret_missing` where there is no secret yet.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/test", tag = "webhooks", params(("id" = String, Path)),
    responses((status = 202, description = "The delivery is stored durably.", body = TestedResponse))
)]
pub(super) async fn test_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
    _: NoBody,
) -> ApiResult<(StatusCode, Json<TestedResponse>)> {
    let tested = state.engine.test_webhook(&caller, id).await?;
    Ok((StatusCode::ACCEPTED, Json(tested.into())))
}

/// Pause a webhook endpoint
///
/// Deliveries are answered 503 with Retry-After, so that senders try again; handshakes are still answered.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/pause", tag = "webhooks", params(("id" = String, Path)),
    responses((status = 200, description = "The endpoint.", body = WebhookResponse))
)]
pub(super) async fn pause_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
    _: NoBody,
) -> ApiResult<Json<WebhookResponse>> {
    Ok(Json(state.engine.pause_webhook(&caller, id, true).await?.into()))
}

/// Resume a webhook endpoint
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/resume", tag = "webhooks", params(("id" = String, Path)),
    responses((status = 200, description = "The endpoint.", body = WebhookResponse))
)]
pub(super) async fn resume_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
    _: NoBody,
) -> ApiResult<Json<WebhookResponse>> {
    Ok(Json(state.engine.pause_webhook(&caller, id, false).await?.into()))
}
