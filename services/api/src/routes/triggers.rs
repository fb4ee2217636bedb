//! `/v1/triggers` and `/v1/events`: what events start, and sending them.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::{TriggerId, TriggerKind};
use domain::names::TenantName;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, PathOf, Query, Traceparent, page};
use crate::problem::{ApiResult, Problem};
use crate::routes::batches::{Items, below_batch};
use crate::shapes::ListOf;
use crate::shapes::events::{
    EventBatchBody, EventBody, SentBatchResponse, SentResponse, TriggerBody, TriggerResponse,
};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_triggers, create_trigger)).routes(routes!(
        get_trigger,
        replace_trigger,
        delete_trigger
    ))
}

/// Which triggers to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TriggersQuery {
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// List triggers of events, newest first
#[utoipa::path(
    get, path = "/v1/triggers", tag = "events", params(TriggersQuery),
    responses((status = 200, description = "Triggers.", body = ListOf<TriggerResponse>))
)]
async fn list_triggers(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<TriggersQuery>,
) -> ApiResult<Json<ListOf<TriggerResponse>>> {
    let page = page::<TriggerKind>(query.limit, query.cursor.as_deref())?;
    let triggers = state.engine.list_triggers(&caller, query.tenant.as_ref(), page).await?;
    Ok(Json(ListOf::of_page::<TriggerKind, _>(triggers, TriggerResponse::from)))
}

/// Create a trigger
///
/// From now on, matching events start executions of its workflow.
#[utoipa::path(
    post, path = "/v1/triggers", tag = "events", request_body = TriggerBody,
    responses((status = 201, description = "The trigger.", body = TriggerResponse))
)]
async fn create_trigger(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<TriggerBody>,
) -> ApiResult<(StatusCode, Json<TriggerResponse>)> {
    let trigger = state.engine.create_trigger(&caller, body.into_new()?).await?;
    Ok((StatusCode::CREATED, Json(trigger.into())))
}

/// Show a trigger
#[utoipa::path(
    get, path = "/v1/triggers/{id}", tag = "events", params(("id" = String, Path)),
    responses((status = 200, description = "The trigger.", body = TriggerResponse))
)]
async fn get_trigger(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<TriggerId>,
) -> ApiResult<Json<TriggerResponse>> {
    Ok(Json(state.engine.trigger(&caller, id).await?.into()))
}

/// Replace a trigger
///
/// ID and tenant are kept.
#[utoipa::path(
    put, path = "/v1/triggers/{id}", tag = "events", params(("id" = String, Path)), request_body = TriggerBody,
    responses((status = 200, description = "The trigger.", body = TriggerResponse))
)]
async fn replace_trigger(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<TriggerId>,
    JsonBody(body): JsonBody<TriggerBody>,
) -> ApiResult<Json<TriggerResponse>> {
    let (request, expected) = body.into_replacement()?;
    Ok(Json(state.engine.update_trigger(&caller, id, request, expected).await?.into()))
}

/// Delete a trigger
///
/// Later events no longer start executions through it. Existing executions are kept.
#[utoipa::path(
    delete, path = "/v1/triggers/{id}", tag = "events", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted."))
)]
async fn delete_trigger(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<TriggerId>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_trigger(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

// `POST /v1/events`: events that are sent to this server.

/// How many events one call sends.
const EVENTS_MAX: usize = 1_000;

/// Send an event
///
/// Matching triggers start workflows, and executions that wait for the event continue. A 202 means that the event is
/// stored durably. A duplicate of an event of the last 24 hours returns 200 with the first delivery.
/// 429 `quota_exceeded` with the quota `waitingStartBytes` if a trigger would delay the start and no more starts may wait.
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
