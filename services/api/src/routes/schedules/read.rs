//! Look at schedules and at what became of their slots.

use axum::Json;
use axum::extract::State;
use domain::id::{ScheduleId, ScheduleKind};
use domain::time::Timestamp;

use crate::extract::{Identity, PagesQuery, PathOf, Query, SchedulesQuery, page_limit, position_cursor};
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
    Ok(Json(query.answer::<ScheduleKind, _, _>(schedules, ScheduleResponse::in_list)))
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
    get, path = "/v1/schedules/{id}/runs", tag = "schedules", params(("id" = String, Path), PagesQuery),
    responses((status = 200, description = "Fires with their outcomes.", body = ListOf<ScheduleRunResponse>))
)]
pub(super) async fn list_schedule_runs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<ScheduleRunResponse>>> {
    let limit = page_limit(query.limit)?;
    let before = position_cursor(query.cursor.as_deref())?.map(Timestamp);
    let runs = state.engine.schedule_runs(&caller, id, before, limit + 1).await?;
    Ok(Json(ListOf::cut(runs, limit, |run| run.nominal.0.to_string(), ScheduleRunResponse::from)))
}
