//! Preview what an expression, or a schedule, will do.

use axum::Json;
use axum::extract::State;
use domain::id::ScheduleId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::{Identity, JsonBody, PathOf, Query};
use crate::problem::ApiResult;
use crate::shapes::RequiredFields;
use crate::shapes::schedules::{PreviewBody, PreviewResponse, RecurrenceBody};
use crate::state::ApiState;

/// How many slots are shown when nobody says how many.
const COUNT_DEFAULT: usize = 5;

/// How much to preview.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct PreviewQuery {
    /// Number of fires, 1 to 1000 (default 5).
    count: Option<usize>,
}

/// Preview a cron expression or an interval
#[utoipa::path(
    post, path = "/v1/schedules/preview", tag = "schedules", request_body = PreviewBody,
    responses((status = 200, description = "The next fires.", body = PreviewResponse))
)]
pub(super) async fn preview_cron(
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
pub(super) async fn preview_schedule(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ScheduleId>,
    Query(query): Query<PreviewQuery>,
) -> ApiResult<Json<PreviewResponse>> {
    let count = query.count.unwrap_or(COUNT_DEFAULT);
    let preview = state.engine.preview_schedule(&caller, id, count).await?;
    Ok(Json(preview.into()))
}
