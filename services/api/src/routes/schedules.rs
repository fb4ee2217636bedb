//! `/v1/schedules`: saved, looked at, paused, started by hand.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::ScheduleId;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, PathOf, Query, RunsQuery, SchedulesQuery};
use crate::problem::ApiResult;
use crate::shapes::schedules::{
    BackfillBody, BackfillResponse, ManualRunResponse, PreviewBody, PreviewResponse, RecurrenceBody,
    ScheduleBody, ScheduleResponse, ScheduleRunResponse,
};
use crate::shapes::{ListOf, RequiredFields};
use crate::state::ApiState;

// Create, replace and remove a schedule.

/// Create a schedule
///
/// The schedule fires from now on. An invalid expression is reported at `/cron`, with the expected format.
#[utoipa::path(
    post, path = "/v1/schedules", tag = "schedules", request_body = ScheduleBody,
    responses((status = 201, description = "The schedule.", body = ScheduleResponse))
)]
async fn create_schedule(
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
async fn replace_schedule(
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
async fn delete_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_schedule(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

// Look at schedules and at what became of their slots.

/// List schedules, newest first
#[utoipa::path(
    get, path = "/v1/schedules", tag = "schedules", params(SchedulesQuery),
    responses((status = 200, description = "Schedules without their inputs.", body = ListOf<ScheduleResponse>))
)]
async fn list_schedules(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: SchedulesQuery,
) -> ApiResult<Json<ListOf<ScheduleResponse>>> {
    let schedules = state.engine.search_schedules(&caller, query.request()).await?;
    Ok(Json(query.answer(schedules, ScheduleResponse::in_list)))
}

/// Show a schedule
#[utoipa::path(
    get, path = "/v1/schedules/{id}", tag = "schedules", params(("id" = String, Path)),
    responses((status = 200, description = "The schedule.", body = ScheduleResponse))
)]
async fn get_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
) -> ApiResult<Json<ScheduleResponse>> {
    Ok(Json(ScheduleResponse::whole(state.engine.schedule(&caller, id).await?)))
}

/// List the fires of a schedule and their outcomes, latest first
#[utoipa::path(
    get, path = "/v1/schedules/{id}/runs", tag = "schedules", params(("id" = String, Path), RunsQuery),
    responses((status = 200, description = "Fires with their outcomes.", body = ListOf<ScheduleRunResponse>))
)]
async fn list_schedule_runs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    query: RunsQuery,
) -> ApiResult<Json<ListOf<ScheduleRunResponse>>> {
    let runs = state.engine.search_runs(&caller, id, query.request()).await?;
    Ok(Json(query.answer(runs, ScheduleRunResponse::from)))
}

// Pause, resume, run now, backfill.

/// Pause a schedule
///
/// Fire times that pass while it is paused never run, and a waiting fire is skipped. Running executions continue.
#[utoipa::path(
    post, path = "/v1/schedules/{id}/pause", tag = "schedules", params(("id" = String, Path)),
    responses((status = 200, description = "The schedule.", body = ScheduleResponse))
)]
async fn pause_schedule(
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
async fn resume_schedule(
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
async fn run_schedule(
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
async fn backfill_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    JsonBody(body): JsonBody<BackfillBody>,
) -> ApiResult<(StatusCode, Json<BackfillResponse>)> {
    let (from, to) = body.into_span()?;
    let done = state.engine.backfill_schedule(&caller, id, from, to).await?;
    Ok((StatusCode::ACCEPTED, Json(done.into())))
}

// Preview what an expression, or a schedule, will do.

/// How many slots are shown when nobody says how many.
const COUNT_DEFAULT: usize = 5;

/// How much to preview.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct PreviewQuery {
    /// Number of fires, 1 to 1000 (default 5).
    count: Option<usize>,
}

/// Preview a cron expression or an interval
#[utoipa::path(
    post, path = "/v1/schedules/preview", tag = "schedules", request_body = PreviewBody,
    responses((status = 200, description = "The next fires.", body = PreviewResponse))
)]
async fn preview_cron(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<PreviewBody>,
) -> ApiResult<Json<PreviewResponse>> {
    let mut needed = RequiredFields::default();
    let timezone = body.timezone.as_deref();
    let recurrence = RecurrenceBody::read(&mut needed, body.cron, (body.every, body.anchor), timezone);
    let count = body.count.unwrap_or(COUNT_DEFAULT);
    let preview = match recurrence {
        None => return Err(needed.problem()),
        Some(RecurrenceBody::Cron(cron)) => {
            state.engine.preview_cron(&caller, &cron, timezone.unwrap_or("UTC"), body.from, count)?
        }
        Some(RecurrenceBody::Interval(interval)) => {
            state.engine.preview_interval(&caller, interval, body.from, count)?
        }
    };
    Ok(Json(preview.into()))
}

/// Preview a schedule
///
/// Respects the bounds of the schedule; a paused one is previewed as if it were resumed now.
#[utoipa::path(
    get, path = "/v1/schedules/{id}/preview", tag = "schedules", params(("id" = String, Path), PreviewQuery),
    responses((status = 200, description = "The next fires.", body = PreviewResponse))
)]
async fn preview_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    Query(query): Query<PreviewQuery>,
) -> ApiResult<Json<PreviewResponse>> {
    let count = query.count.unwrap_or(COUNT_DEFAULT);
    let preview = state.engine.preview_schedule(&caller, id, count).await?;
    Ok(Json(preview.into()))
}

// The routes of schedules.

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(create_schedule, list_schedules))
        .routes(routes!(preview_cron))
        .routes(routes!(get_schedule, replace_schedule, delete_schedule))
        .routes(routes!(pause_schedule))
        .routes(routes!(resume_schedule))
        .routes(routes!(run_schedule))
        .routes(routes!(backfill_schedule))
        .routes(routes!(preview_schedule))
        .routes(routes!(list_schedule_runs))
}
