//! What tenants use, and their quotas.

use axum::Json;
use axum::extract::State;
use domain::names::TenantName;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoQuery, PathOf};
use crate::problem::ApiResult;
use crate::shapes::usage::{QuotasBody, QuotasResponse, UsageResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
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
