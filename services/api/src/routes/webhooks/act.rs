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

/// Rotate the secret of a webhook endpoint
///
/// Old and new secrets are both valid during the overlap; configure the new one at the provider in that time. A
/// generated secret is shown only in this response.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/rotate-secret", tag = "webhooks", params(("id" = String, Path)),
    request_body(content = RotateSecretBody, description = "Optional."),
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

/// Send a signed test delivery to a webhook endpoint
///
/// The delivery is processed like any other: verified, stored and matched, and its triggers start workflows. Errors:
/// 409 `cannot_sign` if the provider signs with a private key, 409 `webhook_secret_missing` if there is no secret.
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
/// Deliveries get 503 with Retry-After, so that senders retry; handshakes are still answered.
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
