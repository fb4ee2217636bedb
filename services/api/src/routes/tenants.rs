//! `/v1/tenants`.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, PagesQuery, Query, name_cursor, page_limit};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::access::{TenantBody, TenantResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(create_tenant, list_tenants))
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
