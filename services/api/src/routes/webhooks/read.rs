//! Look at endpoints. Their secrets are not shown.

use axum::Json;
use axum::extract::State;
use domain::id::{WebhookId, WebhookKind};
use domain::names::TenantName;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::{Identity, PathOf, Query, page};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::webhooks::WebhookResponse;
use crate::state::ApiState;

/// Which endpoints to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct WebhooksQuery {
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
pub(super) async fn list_webhooks(
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
pub(super) async fn get_webhook(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
) -> ApiResult<Json<WebhookResponse>> {
    Ok(Json(state.engine.webhook(&caller, id).await?.into()))
}
