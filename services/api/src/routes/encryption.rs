//! Encryption of the payloads of tenants.

use axum::Json;
use axum::extract::State;
use domain::names::TenantName;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, NoQuery, PathOf};
use crate::problem::ApiResult;
use crate::shapes::encryption::{EncryptionBody, EncryptionResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(get_tenant_encryption, set_tenant_encryption))
        .routes(routes!(rotate_tenant_encryption))
}

/// Show the encryption of a tenant
#[utoipa::path(
    get, path = "/v1/tenants/{tenant}/encryption", tag = "access", params(("tenant" = String, Path)),
    responses((status = 200, description = "Whether payloads are encrypted, and the keys.", body = EncryptionResponse))
)]
async fn get_tenant_encryption(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    _: NoQuery,
) -> ApiResult<Json<EncryptionResponse>> {
    Ok(Json(state.engine.tenant_encryption(&caller, &tenant).await?.into()))
}

/// Enable or disable the encryption of a tenant
///
/// Applies to payloads that are stored afterwards; other processes follow within a few seconds. Requires `secrets.keys`
/// in the settings of all processes. Requires role `admin` and a key that is not bound to a tenant.
#[utoipa::path(
    put, path = "/v1/tenants/{tenant}/encryption", tag = "access", params(("tenant" = String, Path)),
    request_body = EncryptionBody,
    responses((status = 200, description = "Whether payloads are encrypted, and the keys.", body = EncryptionResponse))
)]
async fn set_tenant_encryption(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    JsonBody(body): JsonBody<EncryptionBody>,
) -> ApiResult<Json<EncryptionResponse>> {
    Ok(Json(state.engine.set_tenant_encryption(&caller, &tenant, body.enabled).await?.into()))
}

/// Rotate the key of a tenant
///
/// New payloads are encrypted with a new key. Earlier keys are kept to decrypt existing payloads. Requires role `admin`
/// and a key that is not bound to a tenant.
#[utoipa::path(
    post, path = "/v1/tenants/{tenant}/encryption/rotate", tag = "access", params(("tenant" = String, Path)),
    responses((status = 200, description = "Whether payloads are encrypted, and the keys.", body = EncryptionResponse))
)]
async fn rotate_tenant_encryption(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    _: NoBody,
) -> ApiResult<Json<EncryptionResponse>> {
    Ok(Json(state.engine.rotate_payload_key(&caller, &tenant).await?.into()))
}
