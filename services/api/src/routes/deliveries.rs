//! `/v1/deliveries`: look at what came to webhooks, and replay it.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use domain::id::{DeliveryId, WebhookId};
use domain::search::{Term, TermValue};
use engine::EngineError;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{DeliveriesQuery, Identity, NoQuery, OptionalJsonBody, PathOf, Query};
use crate::json::payloads_are_shown;
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::deliveries::{DeliveryResponse, ReplayBody, ReplayedResponse};
use crate::state::ApiState;

// Look at deliveries.

/// List deliveries, newest first
///
/// Includes deliveries of every status (accepted, held, matched, unmatched, parked, duplicate, rejected, handshake) and
/// of deleted endpoints.
#[utoipa::path(
    get, path = "/v1/deliveries", tag = "deliveries", params(DeliveriesQuery),
    responses((status = 200, description = "Deliveries without headers and bodies.", body = ListOf<DeliveryResponse>))
)]
async fn list_deliveries(
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
async fn list_webhook_deliveries(
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

/// How to show a delivery.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct DeliveryQuery {
    /// Maximum body size in bytes. A larger body is absent and listed in `omitted` with its path (default: no maximum).
    max_payload: Option<usize>,
}

/// Show a delivery with its headers and its body
#[utoipa::path(
    get, path = "/v1/deliveries/{id}", tag = "deliveries", params(("id" = String, Path), DeliveryQuery),
    responses((status = 200, description = "The delivery.", body = DeliveryResponse))
)]
async fn get_delivery(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeliveryId>,
    Query(query): Query<DeliveryQuery>,
) -> ApiResult<Json<DeliveryResponse>> {
    let delivery = state.engine.delivery(&caller, id).await?;
    let body = state.engine.delivery_body(&caller, id).await?;
    Ok(Json(DeliveryResponse::whole(delivery, body, query.max_payload)))
}

/// Get the body of a delivery
///
/// Returns the exact bytes received. Error: 404 if the body is not stored. Requires a key that shows payloads.
#[utoipa::path(
    get, path = "/v1/deliveries/{id}/body", tag = "deliveries", params(("id" = String, Path)),
    responses((status = 200, description = "The body.", body = String, content_type = "application/octet-stream"))
)]
async fn get_delivery_body(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeliveryId>,
    _: NoQuery,
) -> ApiResult<Response> {
    if !payloads_are_shown() {
        return Err(EngineError::Forbidden { reason: "Requires an API key that shows payloads." }.into());
    }
    state.engine.delivery(&caller, id).await?;
    let body = state.engine.delivery_body(&caller, id).await?;
    let body = body.ok_or_else(|| EngineError::not_found("body of the delivery", &id))?;
    // A stranger wrote it: browsers save it, and do not show it as a page of this origin.
    let headers = [(CONTENT_TYPE, "application/octet-stream"), (CONTENT_DISPOSITION, "attachment")];
    Ok((headers, body).into_response())
}

// Replay one delivery.

/// Replay a delivery
///
/// Creates a delivery with the same body and evaluates the current triggers. The signature is not verified again, and
/// deduplication does not apply. Triggers that have already started a workflow for the delivery start it again only
/// with `allTriggers`.
#[utoipa::path(
    post, path = "/v1/deliveries/{id}/replay", tag = "deliveries", params(("id" = String, Path)),
    request_body(content = ReplayBody, description = "Optional."),
    responses((status = 202, description = "The new delivery is stored durably.", body = ReplayedResponse))
)]
async fn replay_delivery(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<DeliveryId>,
    OptionalJsonBody(body): OptionalJsonBody<ReplayBody>,
) -> ApiResult<(StatusCode, Json<ReplayedResponse>)> {
    let delivery_id = state.engine.replay_delivery(&caller, id, body.all_triggers).await?;
    Ok((StatusCode::ACCEPTED, Json(ReplayedResponse { delivery_id, replay_of: id })))
}

// The routes of deliveries.

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_deliveries))
        .routes(routes!(list_webhook_deliveries))
        .routes(routes!(get_delivery))
        .routes(routes!(get_delivery_body))
        .routes(routes!(replay_delivery))
}
