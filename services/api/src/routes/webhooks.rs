//! `/v1/webhooks`: endpoints saved, looked at, paused, tested, given another secret.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, HeaderValue};
use axum::response::{IntoResponse, Response};
use domain::id::{WebhookId, WebhookKind};
use domain::names::TenantName;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, OptionalJsonBody, PathOf, Query, page};
use crate::gate::RetainedAnswer;
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::webhooks::{
    RotateSecretBody, RotatedResponse, SavedWebhookResponse, TestedResponse, WebhookBody, WebhookResponse,
};
use crate::state::ApiState;

// Create, replace and remove an endpoint.

/// Create a webhook endpoint
///
/// It accepts deliveries immediately. A generated secret is shown only in this response.
#[utoipa::path(
    post, path = "/v1/webhooks", tag = "webhooks", request_body = WebhookBody,
    responses((status = 201, description = "The endpoint.", body = SavedWebhookResponse))
)]
async fn create_webhook(
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
async fn replace_webhook(
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
async fn delete_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_webhook(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

// Look at endpoints. Their secrets are not shown.

/// Which endpoints to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct WebhooksQuery {
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// List webhook endpoints, newest first
#[utoipa::path(
    get, path = "/v1/webhooks", tag = "webhooks", params(WebhooksQuery),
    responses((status = 200, description = "Endpoints without their secrets.", body = ListOf<WebhookResponse>))
)]
async fn list_webhooks(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<WebhooksQuery>,
) -> ApiResult<Json<ListOf<WebhookResponse>>> {
    let page = page::<WebhookKind>(query.limit, query.cursor.as_deref())?;
    let webhooks = state.engine.list_webhooks(&caller, query.tenant.as_ref(), page).await?;
    Ok(Json(ListOf::of_page::<WebhookKind, _>(webhooks, WebhookResponse::from)))
}

/// Show a webhook endpoint
#[utoipa::path(
    get, path = "/v1/webhooks/{id}", tag = "webhooks", params(("id" = String, Path)),
    responses((status = 200, description = "The endpoint.", body = WebhookResponse))
)]
async fn get_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
) -> ApiResult<Json<WebhookResponse>> {
    Ok(Json(state.engine.webhook(&caller, id).await?.into()))
}

// Rotate the secret, test, pause, resume.

/// Rotate the secret of a webhook endpoint
///
/// Old and new secrets are both valid during the overlap; configure the new one at the provider in that time. A
/// generated secret is shown only in this response.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/rotate-secret", tag = "webhooks", params(("id" = String, Path)),
    request_body(content = RotateSecretBody, description = "Optional."),
    responses((status = 200, description = "The endpoint with the new secret.", body = RotatedResponse))
)]
async fn rotate_secret(
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
/// 409 `webhook_paused` if the endpoint is paused, 409 `cannot_sign` if the provider signs with a private key, 409
/// `webhook_secret_missing` if there is no secret.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/test", tag = "webhooks", params(("id" = String, Path)),
    responses((status = 202, description = "The delivery is stored durably.", body = TestedResponse))
)]
async fn test_webhook(
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
/// Deliveries are stored and held until the endpoint is resumed; beyond a server limit they get 429 with Retry-After.
/// Handshakes are still answered.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/pause", tag = "webhooks", params(("id" = String, Path)),
    responses((status = 200, description = "The endpoint.", body = WebhookResponse))
)]
async fn pause_webhook(
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
async fn resume_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
    _: NoBody,
) -> ApiResult<Json<WebhookResponse>> {
    Ok(Json(state.engine.pause_webhook(&caller, id, false).await?.into()))
}

// Answers that hold a secret once: repeats under the same idempotency key get them without.

/// An answer that may hold a secret.
trait ShownOnce: Serialize + Sized {
    /// Whether it does.
    fn is_secret(&self) -> bool;
    /// What is left when it is shown again.
    fn without_secrets(self) -> Self;
}

impl ShownOnce for SavedWebhookResponse {
    fn is_secret(&self) -> bool {
        Self::is_secret(self)
    }
    fn without_secrets(self) -> Self {
        Self::without_secrets(self)
    }
}

impl ShownOnce for RotatedResponse {
    fn is_secret(&self) -> bool {
        Self::is_secret(self)
    }
    fn without_secrets(self) -> Self {
        Self::without_secrets(self)
    }
}

/// The answer, with what is kept of it for repeats.
fn answer(status: StatusCode, shape: impl ShownOnce) -> ApiResult<Response> {
    let mut response = (status, Json(&shape)).into_response();
    if shape.is_secret() {
        let retained = serde_json::to_string(&shape.without_secrets()).map_err(|_| Problem::internal())?;
        response.extensions_mut().insert(RetainedAnswer(retained));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}

// The routes of webhook endpoints.

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(create_webhook, list_webhooks))
        .routes(routes!(get_webhook, replace_webhook, delete_webhook))
        .routes(routes!(rotate_secret))
        .routes(routes!(test_webhook))
        .routes(routes!(pause_webhook))
        .routes(routes!(resume_webhook))
}
