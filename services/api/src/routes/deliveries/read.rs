//! Look at deliveries.

use axum::Json;
use axum::extract::State;
use domain::id::{DeliveryId, WebhookId};
use domain::search::{Term, TermValue};

use crate::extract::{DeliveriesQuery, Identity, PathOf};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::deliveries::DeliveryResponse;
use crate::state::ApiState;

/// List deliveries, newest first
///
/// Includes every status: accepted, held, matched, unmatched, parked, duplicate, rejected and handshake; also of
/// deleted endpoints.
#[utoipa::path(
    get, path = "/v1/deliveries", tag = "deliveries", params(DeliveriesQuery),
    responses((status = 200, description = "Deliveries without headers and bodies.", body = ListOf<DeliveryResponse>))
)]
pub(super) async fn list_deliveries(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: DeliveriesQuery,
) -> ApiResult<Json<ListOf<DeliveryResponse>>> {
    let deliveries = state.engine.search_deliveries(&caller, query.request()).await?;
    Ok(Json(query.answer(deliveries, DeliveryResponse::in_list)))
}

/// List the deliveries of a webhook endpoint, newest first
#[utoipa::path(
    get, path = "/v1/webhooks/{id}/deliveries", tag = "deliveries",
    params(("id" = String, Path), DeliveriesQuery),
    responses((status = 200, description = "Deliveries without headers and bodies.", body = ListOf<DeliveryResponse>))
)]
pub(super) async fn list_webhook_deliveries(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WebhookId>,
    query: DeliveriesQuery,
) -> ApiResult<Json<ListOf<DeliveryResponse>>> {
    let query = query.within(Term::is("webhookId", TermValue::Id(id.uuid())));
    // An endpoint that is not there has no empty list.
    state.engine.webhook(&caller, id).await?;
    let deliveries = state.engine.search_deliveries(&caller, query.request()).await?;
    Ok(Json(query.answer(deliveries, DeliveryResponse::in_list)))
}

/// Show a delivery with its headers and its body
#[utoipa::path(
    get, path = "/v1/deliveries/{id}", tag = "deliveries", params(("id" = String, Path)),
    responses((status = 200, description = "The delivery.", body = DeliveryResponse))
)]
pub(super) async fn get_delivery(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeliveryId>,
) -> ApiResult<Json<DeliveryResponse>> {
    let delivery = state.engine.delivery(&caller, id).await?;
    let body = state.engine.delivery_body(&caller, id).await?;
    Ok(Json(DeliveryResponse::whole(delivery, body)))
}
