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
/// The schedule fires from now on. An invalid expression is reported at `/cron`, with the expected format.
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
/// ID and history are kept. Past fires do not run, and a waiting fire is skipped.
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

/// Delete a schedule and its history
///
/// Its executions are kept.
#[utoipa::path(
    delete, path = "/v1/schedules/{id}", tag = "schedules", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted."))
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
