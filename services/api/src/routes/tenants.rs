//! `/v1/tenants`: tenants, what they use, and how long their things are kept.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::names::TenantName;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoQuery, PagesQuery, PathOf, Query, name_cursor, page_limit};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::access::{EraseBody, TenantBody, TenantResponse};
use crate::shapes::batches::BatchResponse;
use crate::shapes::retention::{RetentionBody, RetentionResponse};
use crate::shapes::usage::{QuotasBody, QuotasResponse, UsageResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(create_tenant, list_tenants)).routes(routes!(erase_tenant))
}

/// Create a tenant
///
/// A tenant is also created when a key that is not bound to a tenant first uses it.
#[utoipa::path(
    post, path = "/v1/tenants", tag = "access", request_body = TenantBody,
    responses(
        (status = 201, description = "Created.", body = TenantResponse),
        (status = 200, description = "Already exists.", body = TenantResponse),
    )
)]
async fn create_tenant(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<TenantBody>,
) -> ApiResult<(StatusCode, Json<TenantResponse>)> {
    let name = body.into_name()?;
    let is_new = state.engine.create_tenant(&caller, &name).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(TenantResponse { name: name.to_string(), created_at: None })))
}

/// List tenants by name
#[utoipa::path(
    get, path = "/v1/tenants", tag = "access", params(PagesQuery),
    responses((status = 200, description = "Tenants.", body = ListOf<TenantResponse>))
)]
async fn list_tenants(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<TenantResponse>>> {
    let (limit, after) = (page_limit(query.limit)?, name_cursor(query.cursor)?);
    let tenants = state.engine.list_tenants(&caller, after.as_deref(), limit + 1).await?;
    Ok(Json(ListOf::cut(tenants, limit, |tenant| tenant.name.to_string(), TenantResponse::from)))
}

/// Erase a tenant
///
/// Removes its jobs, executions, payloads, dead letters, deliveries, logs, schedules, endpoints, triggers, workflows, keys,
/// secrets and settings in the background; audit log entries stay. From now on its keys are invalid and new work is
/// rejected with 409 `tenant_erasing`, until the bulk operation is completed (after ten seconds at the earliest);
/// `done` counts removed rows. 409 `tenant_in_use` if jobs or executions are open and `cancelOpen` is not set. Requires
/// role `admin` and a key that is not bound to a tenant.
#[utoipa::path(
    post, path = "/v1/tenants/{tenant}/erase", tag = "access", params(("tenant" = String, Path)),
    request_body = EraseBody,
    responses((status = 202, description = "The bulk operation that erases the tenant.", body = BatchResponse))
)]
async fn erase_tenant(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    JsonBody(body): JsonBody<EraseBody>,
) -> ApiResult<(StatusCode, Json<BatchResponse>)> {
    let (confirm, cancels_open) = body.into_parts()?;
    let batch = state.engine.erase_tenant(&caller, &tenant, &confirm, cancels_open).await?;
    Ok((StatusCode::ACCEPTED, Json(batch.into())))
}

// What tenants use, and their quotas.

/// The routes.
pub(super) fn usage_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(get_usage)).routes(routes!(get_quotas, set_quotas))
}

/// Show the usage of a tenant
///
/// Counted at request time. Requests beyond a quota get 429 `quota_exceeded`; work created by running executions is
/// never rejected.
#[utoipa::path(
    get, path = "/v1/tenants/{tenant}/usage", tag = "access", params(("tenant" = String, Path)),
    responses((status = 200, description = "Usage and quotas.", body = UsageResponse))
)]
async fn get_usage(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    _: NoQuery,
) -> ApiResult<Json<UsageResponse>> {
    Ok(Json(state.engine.tenant_usage(&caller, &tenant).await?.into()))
}

/// Show the quotas of a tenant
#[utoipa::path(
    get, path = "/v1/tenants/{tenant}/quotas", tag = "access", params(("tenant" = String, Path)),
    responses((status = 200, description = "The effective quotas; null is unlimited.", body = QuotasResponse))
)]
async fn get_quotas(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    _: NoQuery,
) -> ApiResult<Json<QuotasResponse>> {
    Ok(Json(state.engine.tenant_quotas(&caller, &tenant).await?.into()))
}

/// Change quotas of a tenant
///
/// Absent fields keep their value, null restores the default, and `"unlimited"` removes the limit. Other processes
/// apply the change within a few seconds. Requires role `admin` and a key that is not bound to a tenant.
#[utoipa::path(
    put, path = "/v1/tenants/{tenant}/quotas", tag = "access", params(("tenant" = String, Path)),
    request_body = QuotasBody,
    responses((status = 200, description = "The effective quotas; null is unlimited.", body = QuotasResponse))
)]
async fn set_quotas(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    JsonBody(body): JsonBody<QuotasBody>,
) -> ApiResult<Json<QuotasResponse>> {
    let edits = body.into_edits()?;
    Ok(Json(state.engine.set_tenant_quotas(&caller, &tenant, &edits).await?.into()))
}

// How long finished things are kept, for all tenants and for each.

/// The routes.
pub(super) fn retention_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(get_retention, set_retention))
        .routes(routes!(get_tenant_retention, set_tenant_retention))
}

/// Show the retention
///
/// Applies to tenants without their own times. `effective` shows the times that apply: times set here are rounded up to
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
/// Absent fields keep their value; null restores the value from the settings. Requires role `admin` and a key that is
/// not bound to a tenant.
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
/// Absent fields keep their value; null restores the value for all tenants. `audit` and `alerts` cannot be set for one
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
