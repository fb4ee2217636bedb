//! Look at schedules and at what became of their slots.

use axum::Json;
use axum::extract::State;
use domain::id::{ScheduleId, ScheduleKind};
use domain::names::{TenantName, WorkflowName};
use domain::time::Timestamp;
use serde::Deserialize;
use store::schedules::ScheduleFilter;
use utoipa::IntoParams;

use crate::extract::{Identity, PagesQuery, PathOf, Query, page, page_limit, position_cursor};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::schedules::{ScheduleResponse, ScheduleRunResponse};
use crate::state::ApiState;

/// Which schedules to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SchedulesQuery {
    #[param(value_type = Option<String>)]
    workflow: Option<WorkflowName>,
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
    paused: Option<bool>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// List schedules, newest first
#[utoipa::path(
    get, path = "/v1/schedules", tag = "schedules", params(SchedulesQuery),
    responses((status = 200, description = "Schedules without their inputs.", body = ListOf<ScheduleResponse>))
)]
pub(super) async fn list_schedules(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<SchedulesQuery>,
) -> ApiResult<Json<ListOf<ScheduleResponse>>> {
    let page = page::<ScheduleKind>(query.limit, query.cursor.as_deref())?;
    let filter = ScheduleFilter { tenant: query.tenant, workflow: query.workflow, is_paused: query.paused };
    let schedules = state.engine.list_schedules(&caller, &filter, page).await?;
    Ok(Json(ListOf::of_page::<ScheduleKind, _>(schedules, ScheduleResponse::in_list)))
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
