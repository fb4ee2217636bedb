//! `POST /v1/events`: events that are sent to this server.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use crate::extract::{Identity, JsonBody, Traceparent};
use crate::problem::{ApiResult, Problem};
use crate::routes::batch_items::{Items, below_batch};
use crate::shapes::events::{EventBatchBody, EventBody, SentBatchResponse, SentResponse};
use crate::state::ApiState;

/// How many events one call sends.
const EVENTS_MAX: usize = 1_000;

/// Send an event
///
/// Triggers that match it start workflows, and executions that wait for it go on. A 202 means that the event is stored
/// durably. A duplicate of an event of the last 24 hours gets 200 with the first delivery.
#[utoipa::path(
    post, path = "/v1/events", tag = "events", request_body = EventBody,
    responses(
        (status = 202, description = "Accepted.", body = SentResponse),
        (status = 200, description = "A duplicate.", body = SentResponse),
    )
)]
pub(super) async fn send_event(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Traceparent(header): Traceparent,
    JsonBody(body): JsonBody<EventBody>,
) -> ApiResult<(StatusCode, Json<SentResponse>)> {
    let request = body.into_request(header.as_deref())?;
    let sent = state.engine.send_events(&caller, vec![request]).await?;
    let sent = sent.into_iter().next().ok_or_else(Problem::internal)?;
    let status = if sent.is_deduplicated { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok((status, Json(sent.into())))
}

/// Send many events in one commit
///
/// Atomic: all events are accepted, or none.
#[utoipa::path(
    post, path = "/v1/events/batch", tag = "events", request_body = EventBatchBody,
    responses((status = 202, description = "Accepted.", body = SentBatchResponse))
)]
pub(super) async fn send_event_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Traceparent(header): Traceparent,
    JsonBody(body): JsonBody<EventBatchBody>,
) -> ApiResult<(StatusCode, Json<SentBatchResponse>)> {
    let items = Items::read("events", body.events, EVENTS_MAX, |event: EventBody| {
        event.into_request(header.as_deref())
    })?;
    let requests = items.all()?;
    let len = requests.len();
    let sent = state
        .engine
        .send_events(&caller, requests)
        .await
        .map_err(|error| below_batch(error, "events", len))?;
    let results = sent.into_iter().map(SentResponse::from).collect();
    Ok((StatusCode::ACCEPTED, Json(SentBatchResponse { results })))
}
