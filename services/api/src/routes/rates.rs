//! `/v1/rates`: rates of keys that enqueues and nodes name.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, PathOf, Query, TenantQuery};
use crate::problem::ApiResult;
use crate::shapes::rates::{KeyRateBody, KeyRateResponse, KeyRatesResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_rates)).routes(routes!(set_rate, delete_rate))
}

/// List the rates of keys
#[utoipa::path(
    get, path = "/v1/rates", tag = "limits", params(TenantQuery),
    responses((status = 200, description = "The rates.", body = KeyRatesResponse))
)]
async fn list_rates(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<KeyRatesResponse>> {
    let rates = state.engine.key_rates(&caller, query.tenant).await?;
    Ok(Json(KeyRatesResponse { items: rates.into_iter().map(KeyRateResponse::from).collect() }))
}

/// Set the rate of a key
///
/// Starts of jobs with this `rateKey` are counted under the rate from the next claim on. A key that ends in `*` is for every
/// key that begins so, each counted by itself; the longest match wins.
#[utoipa::path(
    put, path = "/v1/rates/{key}", tag = "limits", params(("key" = String, Path), TenantQuery),
    request_body = KeyRateBody, responses((status = 200, description = "The rate.", body = KeyRateResponse))
)]
async fn set_rate(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(key): PathOf<String>,
    Query(query): Query<TenantQuery>,
    JsonBody(body): JsonBody<KeyRateBody>,
) -> ApiResult<Json<KeyRateResponse>> {
    let request = body.into_request(key, query.tenant)?;
    Ok(Json(state.engine.set_key_rate(&caller, request).await?.into()))
}

/// Delete the rate of a key
///
/// Jobs with this `rateKey` are not limited by it from the next claim on.
#[utoipa::path(
    delete, path = "/v1/rates/{key}", tag = "limits", params(("key" = String, Path), TenantQuery),
    responses((status = 204, description = "Deleted."))
)]
async fn delete_rate(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(key): PathOf<String>,
    Query(query): Query<TenantQuery>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_key_rate(&caller, query.tenant, &key).await?;
    Ok(StatusCode::NO_CONTENT)
}
