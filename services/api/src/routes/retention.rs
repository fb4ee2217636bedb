//! How long finished things are kept, for all tenants and for each.

use axum::Json;
use axum::extract::State;
use domain::names::TenantName;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoQuery, PathOf};
use crate::problem::ApiResult;
use crate::shapes::retention::{RetentionBody, RetentionResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(get_retention, set_retention))
        .routes(routes!(get_tenant_retention, set_tenant_retention))
}

/// Show the retention
///
/// Times of tenants that have none of their own. `effective` is what applies: times that are set here are rounded up to
/// 1, 6 or 12 hours, 1, 2, 3, 7, 14, 30, 60, 90 or 180 days, or 1, 2 or 10 years.
#[utoipa::path(
    get, path = "/v1/retention", tag = "operations",
    responses((status = 200, description = "Retention times.", body = RetentionResponse))
)]
async fn get_retention(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<RetentionResponse>> {
    Ok(Json(state.engine.retention(&caller, None).await?.into()))
}

/// Change the retention
///
/// Absent fields keep their value, null restores the value of the settings. Requires role `admin` and a key that is not
/// bound to a tenant.
#[utoipa::path(
    put, path = "/v1/retention", tag = "operations", request_body = RetentionBody,
    responses((status = 200, description = "Retention times.", body = RetentionResponse))
)]
async fn set_retention(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<RetentionBody>,
) -> ApiResult<Json<RetentionResponse>> {
    Ok(Json(state.engine.set_retention(&caller, None, &body.into_edits()).await?.into()))
}

/// Show the retention of a tenant
#[utoipa::path(
    get, path = "/v1/tenants/{tenant}/retention", tag = "access", params(("tenant" = String, Path)),
    responses((status = 200, description = "Retention times.", body = RetentionResponse))
)]
async fn get_tenant_retention(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    _: NoQuery,
) -> ApiResult<Json<RetentionResponse>> {
    Ok(Json(state.engine.retention(&caller, Some(&tenant)).await?.into()))
}

/// Change the retention of a tenant
///
/// Absent fields keep their value, null restores the value of all tenants. `audit` and `alerts` cannot be set for one
/// tenant. Requires role `admin` and a key that is not bound to a tenant.
#[utoipa::path(
    put, path = "/v1/tenants/{tenant}/retention", tag = "access", params(("tenant" = String, Path)),
    request_body = RetentionBody,
    responses((status = 200, description = "Retention times.", body = RetentionResponse))
)]
async fn set_tenant_retention(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    JsonBody(body): JsonBody<RetentionBody>,
) -> ApiResult<Json<RetentionResponse>> {
    Ok(Json(state.engine.set_retention(&caller, Some(&tenant), &body.into_edits()).await?.into()))
}
