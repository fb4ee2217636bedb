//! `/v1/tenants/{tenant}/secrets`: what requests of workflows send in their headers.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::names::TenantName;
use domain::secret::SecretName;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, PagesQuery, PathOf, Query, name_cursor, page_limit};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::secrets::{SecretBody, SecretResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_secrets)).routes(routes!(put_secret, delete_secret))
}

/// List the secrets of a tenant by name
///
/// Values are never shown.
#[utoipa::path(
    get, path = "/v1/tenants/{tenant}/secrets", tag = "access", params(("tenant" = String, Path), PagesQuery),
    responses((status = 200, description = "Secrets without their values.", body = ListOf<SecretResponse>))
)]
async fn list_secrets(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<SecretResponse>>> {
    let (limit, after) = (page_limit(query.limit)?, name_cursor(query.cursor)?);
    let secrets = state.engine.list_secrets(&caller, tenant, after.as_deref(), limit + 1).await?;
    Ok(Json(ListOf::cut(secrets, limit, |secret| secret.name.clone(), SecretResponse::from)))
}

/// Store a secret
///
/// Replaces a secret of the same name; later requests use the new value. Workflows reference it as `${secrets.name}` in
/// the request headers of an `HTTP` node. It is sent only to its allowed hosts, and never appears in jobs, history,
/// errors or lists.
#[utoipa::path(
    put, path = "/v1/tenants/{tenant}/secrets/{name}", tag = "access",
    params(("tenant" = String, Path), ("name" = String, Path)), request_body = SecretBody,
    responses(
        (status = 201, description = "Created.", body = SecretResponse),
        (status = 200, description = "Replaced an existing secret.", body = SecretResponse),
    )
)]
async fn put_secret(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((tenant, name)): PathOf<(TenantName, SecretName)>,
    JsonBody(body): JsonBody<SecretBody>,
) -> ApiResult<(StatusCode, Json<SecretResponse>)> {
    let (secret, is_new) = state.engine.put_secret(&caller, body.into_request(tenant, name)).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(secret.into())))
}

/// Delete a secret
///
/// Later requests that reference it fail.
#[utoipa::path(
    delete, path = "/v1/tenants/{tenant}/secrets/{name}", tag = "access",
    params(("tenant" = String, Path), ("name" = String, Path)),
    responses((status = 204, description = "Deleted."))
)]
async fn delete_secret(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((tenant, name)): PathOf<(TenantName, SecretName)>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_secret(&caller, tenant, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}
