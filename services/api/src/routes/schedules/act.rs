//! Pause, resume, run now, backfill.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::ScheduleId;

use crate::extract::{Identity, JsonBody, NoBody, PathOf};
use crate::problem::ApiResult;
use crate::shapes::schedules::{BackfillBody, BackfillResponse, ManualRunResponse, ScheduleResponse};
use crate::state::ApiState;

/// Pause a schedule
///
/// Fire times that pass while it is paused never run, and a waiting fire is skipped. Running executions continue.
#[utoipa::path(
    post, path = "/v1/schedules/{id}/pause", tag = "schedules", params(("id" = String, Path)),
    responses((status = 200, description = "The schedule.", body = ScheduleResponse))
)]
pub(super) async fn pause_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    _: NoBody,
) -> ApiResult<Json<ScheduleResponse>> {
    let view = state.engine.pause_schedule(&caller, id, true).await?;
    Ok(Json(ScheduleResponse::whole(view)))
}

/// Resume a schedule
///
/// The schedule fires from now on.
#[utoipa::path(
    post, path = "/v1/schedules/{id}/resume", tag = "schedules", params(("id" = String, Path)),
    responses((status = 200, description = "The schedule.", body = ScheduleResponse))
)]
pub(super) async fn resume_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    _: NoBody,
) -> ApiResult<Json<ScheduleResponse>> {
    let view = state.engine.pause_schedule(&caller, id, false).await?;
    Ok(Json(ScheduleResponse::whole(view)))
}

/// Start an execution of a schedule now
///
/// Ignores the overlap policy, and works while the schedule is paused.
#[utoipa::path(
    post, path = "/v1/schedules/{id}/run", tag = "schedules", params(("id" = String, Path)),
    responses((status = 202, description = "The execution is stored durably.", body = ManualRunResponse))
)]
pub(super) async fn run_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    _: NoBody,
) -> ApiResult<(StatusCode, Json<ManualRunResponse>)> {
    let run = state.engine.run_schedule(&caller, id).await?;
    Ok((StatusCode::ACCEPTED, Json(run.into())))
}

/// Backfill a past time range
///
/// Starts an execution for each fire time in the range that is not in the history yet.
#[utoipa::path(
    post, path = "/v1/schedules/{id}/backfill", tag = "schedules", params(("id" = String, Path)),
    request_body = BackfillBody,
    responses((status = 202, description = "The executions are stored durably.", body = BackfillResponse))
)]
pub(super) async fn backfill_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    JsonBody(body): JsonBody<BackfillBody>,
) -> ApiResult<(StatusCode, Json<BackfillResponse>)> {
    let (from, to) = body.into_span()?;
    let done = state.engine.backfill_schedule(&caller, id, from, to).await?;
    Ok((StatusCode::ACCEPTED, Json(done.into())))
}
