//! `/v1/tenants`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::names::TenantName;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, PagesQuery, PathOf, Query, name_cursor, page_limit};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::access::{EraseBody, TenantBody, TenantResponse};
use crate::shapes::batches::BatchResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(create_tenant, list_tenants)).routes(routes!(erase_tenant))
}

/// Create a tenant
///
/// The first use of a tenant with a key that is not bound to a tenant also creates it.
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
/// rejected with 409 `tenant_erasing`, until the batch is completed (at the earliest after ten seconds); `done` counts removed
/// rows. 409 `tenant_in_use` if jobs or executions are open and `cancelOpen` is not set. Requires role `admin` and a key
/// that is not bound to a tenant.
#[utoipa::path(
    post, path = "/v1/tenants/{tenant}/erase", tag = "access", params(("tenant" = String, Path)),
    request_body = EraseBody,
    responses((status = 202, description = "The batch that erases it.", body = BatchResponse))
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
