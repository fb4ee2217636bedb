//! `/v1/dev`: what only development servers do.

use axum::Json;
use axum::extract::State;
use domain::time::{DurationMs, Timestamp};
use engine::{TimeMove, TimeMoved};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody};
use crate::problem::ApiResult;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(move_time))
}

/// A change of the time of a development server.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TimeMoveRequest)]
struct TimeMoveBody {
    /// How far to advance the time, through all timers, retries and schedules in between.
    #[schema(value_type = Option<String>, example = "1d")]
    advance: Option<DurationMs>,
    /// Whether time skips forward automatically from now on.
    skip: Option<bool>,
}

/// The time of a development server.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DevTime)]
struct DevTimeResponse {
    /// Current time.
    #[schema(value_type = String, format = DateTime)]
    now: Timestamp,
    /// Whether time skips forward automatically while no work is in progress.
    skip: bool,
    /// Number of executions that schedules started during the call.
    started: usize,
}

impl From<TimeMoved> for DevTimeResponse {
    fn from(TimeMoved { now, skips, started }: TimeMoved) -> Self {
        Self { now, skip: skips, started }
    }
}

/// Move the time of a development server
///
/// Only on a server started with `trunkline dev --time-skip`; other servers return 409 `time_is_real`. On such a
/// server, schedules fire only through this call. The call waits while a job is leased or a request is in progress, and
/// returns 409 `time_is_held` after 20 seconds.
#[utoipa::path(
    post, path = "/v1/dev/time", tag = "operations", request_body = TimeMoveBody,
    responses((status = 200, description = "The current time of the server.", body = DevTimeResponse))
)]
async fn move_time(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<TimeMoveBody>,
) -> ApiResult<Json<DevTimeResponse>> {
    let asked = TimeMove { advance: body.advance, skip: body.skip };
    Ok(Json(state.engine.move_time(&caller, asked).await?.into()))
}
