//! Look at schedules and at what became of their slots.

use axum::Json;
use axum::extract::State;
use domain::id::ScheduleId;

use crate::extract::{Identity, PathOf, RunsQuery, SchedulesQuery};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::schedules::{ScheduleResponse, ScheduleRunResponse};
use crate::state::ApiState;

/// List schedules, newest first
#[utoipa::path(
    get, path = "/v1/schedules", tag = "schedules", params(SchedulesQuery),
    responses((status = 200, description = "Schedules without their inputs.", body = ListOf<ScheduleResponse>))
)]
pub(super) async fn list_schedules(
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
pub(super) async fn get_schedule(
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
pub(super) async fn list_schedule_runs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    query: RunsQuery,
) -> ApiResult<Json<ListOf<ScheduleRunResponse>>> {
    let runs = state.engine.search_runs(&caller, id, query.request()).await?;
    Ok(Json(query.answer(runs, ScheduleRunResponse::from)))
}
