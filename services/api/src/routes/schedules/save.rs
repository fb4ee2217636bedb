//! Create, replace and remove a schedule.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::ScheduleId;

use crate::extract::{Identity, JsonBody, NoBody, PathOf};
use crate::problem::ApiResult;
use crate::shapes::schedules::{ScheduleBody, ScheduleResponse};
use crate::state::ApiState;

/// Create a schedule
///
/// It fires from now on. A refused expression is told at `/cron`, with what would be right.
#[utoipa::path(
    post, path = "/v1/schedules", tag = "schedules", request_body = ScheduleBody,
    responses((status = 201, description = "The schedule.", body = ScheduleResponse))
)]
pub(super) async fn create_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<ScheduleBody>,
) -> ApiResult<(StatusCode, Json<ScheduleResponse>)> {
    let view = state.engine.create_schedule(&caller, body.into_request()?).await?;
    Ok((StatusCode::CREATED, Json(ScheduleResponse::whole(view))))
}

/// Replace a schedule
///
/// It keeps its id and its history. Slots that are past by then do not fire, and one that waits is given up.
#[utoipa::path(
    put, path = "/v1/schedules/{id}", tag = "schedules", params(("id" = String, Path)), request_body = ScheduleBody,
    responses((status = 200, description = "The schedule.", body = ScheduleResponse))
)]
pub(super) async fn replace_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    JsonBody(body): JsonBody<ScheduleBody>,
) -> ApiResult<Json<ScheduleResponse>> {
    let view = state.engine.replace_schedule(&caller, id, body.into_request()?).await?;
    Ok(Json(ScheduleResponse::whole(view)))
}

/// Remove a schedule and its history
///
/// Its executions stay.
#[utoipa::path(
    delete, path = "/v1/schedules/{id}", tag = "schedules", params(("id" = String, Path)),
    responses((status = 204, description = "It is gone."))
)]
pub(super) async fn delete_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_schedule(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
