//! `/v1/api-keys`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::id::{Id, KeyId, KeyKind};
use engine::SecretText;
use store::access::KeyRecord;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, OptionalJsonBody, PagesQuery, PathOf, Query, page};
use crate::gate::RetainedAnswer;
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::access::{KeyBody, KeyResponse, KeyRotationBody, NewKeyResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(create_key, list_keys))
        .routes(routes!(revoke_key))
        .routes(routes!(rotate_key))
}

/// Create an API key
///
/// The secret is shown only in this response.
#[utoipa::path(
    post, path = "/v1/api-keys", tag = "access", request_body = KeyBody,
    responses((status = 201, description = "The API key with its secret.", body = NewKeyResponse))
)]
async fn create_key(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<KeyBody>,
) -> ApiResult<Response> {
    let (record, secret) = state.engine.make_key(&caller, body.into_request()?).await?;
    shown_once(StatusCode::CREATED, record, &secret)
}

/// Rotate the secret of an API key
///
/// The secret is shown only in this response. ID, role and scopes do not change. The previous secret stays valid for
/// `overlap`.
#[utoipa::path(
    post, path = "/v1/api-keys/{id}/rotate", tag = "access", params(("id" = String, Path)),
    request_body(content = KeyRotationBody, description = "Optional."),
    responses((status = 200, description = "The API key with its new secret.", body = NewKeyResponse))
)]
async fn rotate_key(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<KeyId>,
    OptionalJsonBody(body): OptionalJsonBody<KeyRotationBody>,
) -> ApiResult<Response> {
    let (record, secret) = state.engine.rotate_key(&caller, id, body.overlap).await?;
    shown_once(StatusCode::OK, record, &secret)
}

fn shown_once(status: StatusCode, record: KeyRecord, secret: &SecretText) -> ApiResult<Response> {
    let record = KeyResponse::from(record);
    // Answers are kept for repeats; the secret must not be.
    let retained = NewKeyResponse { record: record.clone(), key: None };
    let retained = serde_json::to_string(&retained).map_err(|_| Problem::internal())?;
    let answer = NewKeyResponse { record, key: Some(secret.reveal().to_owned()) };
    let mut response = (status, Json(answer)).into_response();
    response.extensions_mut().insert(RetainedAnswer(retained));
    Ok(response)
}

/// List API keys without their secrets, newest first
#[utoipa::path(
    get, path = "/v1/api-keys", tag = "access", params(PagesQuery),
    responses((status = 200, description = "API keys, including revoked ones.", body = ListOf<KeyResponse>))
)]
async fn list_keys(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<KeyResponse>>> {
    let page = page::<KeyKind>(query.limit, query.cursor.as_deref())?;
    let keys = state.engine.list_keys(&caller, page.after.map(Id::from_uuid), page.limit + 1).await?;
    Ok(Json(ListOf::cut(keys, page.limit, |key| key.id.to_string(), KeyResponse::from)))
}

/// Revoke an API key
#[utoipa::path(
    delete, path = "/v1/api-keys/{id}", tag = "access", params(("id" = String, Path)),
    responses((status = 204, description = "The API key is revoked."))
)]
async fn revoke_key(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<KeyId>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.revoke_key(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
