//! Create, replace and remove an endpoint.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use domain::id::WebhookId;

use super::once::answer;
use crate::extract::{Identity, JsonBody, NoBody, PathOf};
use crate::problem::ApiResult;
use crate::shapes::webhooks::{SavedWebhookResponse, WebhookBody};
use crate::state::ApiState;

/// Create a webhook endpoint
///
/// It accepts deliveries immediately. A generated secret is shown only in this response.
#[utoipa::path(
    post, path = "/v1/webhooks", tag = "webhooks", request_body = WebhookBody,
    responses((status = 201, description = "The endpoint.", body = SavedWebhookResponse))
)]
pub(super) async fn create_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<WebhookBody>,
) -> ApiResult<Response> {
    let saved = state.engine.create_webhook(&caller, body.into_new()?).await?;
    answer(StatusCode::CREATED, SavedWebhookResponse::new(saved))
}

/// Replace a webhook endpoint
///
/// ID, URL and deliveries are kept. Secrets are kept unless new ones are given, which replace them immediately;
/// use `rotate-secret` for an overlap.
#[utoipa::path(
    put, path = "/v1/webhooks/{id}", tag = "webhooks", params(("id" = String, Path)), request_body = WebhookBody,
    responses((status = 200, description = "The endpoint.", body = SavedWebhookResponse))
)]
pub(super) async fn replace_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
    JsonBody(body): JsonBody<WebhookBody>,
) -> ApiResult<Response> {
    let (request, expected_version) = body.into_replacement()?;
    let saved = state.engine.update_webhook(&caller, id, request, expected_version).await?;
    answer(StatusCode::OK, SavedWebhookResponse::new(saved))
}

/// Delete a webhook endpoint and its secrets
///
/// Senders then get 404. Its deliveries are kept until their retention ends.
#[utoipa::path(
    delete, path = "/v1/webhooks/{id}", tag = "webhooks", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted."))
)]
pub(super) async fn delete_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_webhook(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
