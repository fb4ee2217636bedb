//! Change many objects. The work goes on after the answer.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use engine::{BulkAction, BulkAnswer, BulkRequest, Caller};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, searchable_of};
use crate::problem::ApiResult;
use crate::shapes::batches::BatchResponse;
use crate::shapes::bulk::{
    BulkBody, BulkCancelBody, BulkReplayBody, BulkReprioritizeBody, BulkRequeueBody, BulkRerunBody,
    MatchesResponse, Reading, SampleResponse,
};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(cancel_jobs))
        .routes(routes!(retry_jobs))
        .routes(routes!(reprioritize_jobs))
        .routes(routes!(cancel_executions))
        .routes(routes!(retry_executions))
        .routes(routes!(rerun_executions))
        .routes(routes!(requeue_dead_letters))
        .routes(routes!(archive_dead_letters))
        .routes(routes!(replay_deliveries))
        .routes(routes!(pause_schedules))
        .routes(routes!(resume_schedules))
}

async fn reading(state: &ApiState, caller: &Caller) -> ApiResult<Reading> {
    Ok(Reading { now: state.engine.now(), searchable: searchable_of(state, caller, true).await? })
}

async fn start(state: &ApiState, caller: &Caller, request: BulkRequest) -> ApiResult<Response> {
    Ok(match state.engine.bulk(caller, request).await? {
        BulkAnswer::Matches { count, is_exact, samples } => {
            let samples = SampleResponse::all(samples);
            Json(MatchesResponse { count, exact: is_exact, samples }).into_response()
        }
        BulkAnswer::Batch(batch) => (StatusCode::ACCEPTED, Json(BatchResponse::from(*batch))).into_response(),
    })
}

/// Cancel many jobs
#[utoipa::path(
    post, path = "/v1/jobs/cancel", tag = "jobs", request_body = BulkBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn cancel_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(BulkAction::CancelJobs, &reading)?).await
}

/// Make many waiting jobs due now
#[utoipa::path(
    post, path = "/v1/jobs/retry", tag = "jobs", request_body = BulkBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn retry_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(BulkAction::RetryJobs, &reading)?).await
}

/// Change the priority of many waiting jobs
#[utoipa::path(
    post, path = "/v1/jobs/reprioritize", tag = "jobs", request_body = BulkReprioritizeBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn reprioritize_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkReprioritizeBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(&reading)?).await
}

/// Cancel many executions
#[utoipa::path(
    post, path = "/v1/executions/cancel", tag = "executions", request_body = BulkCancelBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn cancel_executions(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkCancelBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(&reading)?).await
}

/// Retry many failed executions from their failed nodes
#[utoipa::path(
    post, path = "/v1/executions/retry", tag = "executions", request_body = BulkBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn retry_executions(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(BulkAction::RetryExecutions, &reading)?).await
}

/// Rerun many ended executions from a node
#[utoipa::path(
    post, path = "/v1/executions/rerun", tag = "executions", request_body = BulkRerunBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn rerun_executions(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkRerunBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(&reading)?).await
}

/// Requeue many dead letters
#[utoipa::path(
    post, path = "/v1/dead-letters/requeue", tag = "dead letters", request_body = BulkRequeueBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn requeue_dead_letters(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkRequeueBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(&reading)?).await
}

/// Archive many dead letters
#[utoipa::path(
    post, path = "/v1/dead-letters/archive", tag = "dead letters", request_body = BulkBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn archive_dead_letters(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(BulkAction::ArchiveDeadLetters, &reading)?).await
}

/// Replay many deliveries
#[utoipa::path(
    post, path = "/v1/deliveries/replay", tag = "deliveries", request_body = BulkReplayBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn replay_deliveries(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkReplayBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(&reading)?).await
}

/// Pause many schedules
#[utoipa::path(
    post, path = "/v1/schedules/pause", tag = "schedules", request_body = BulkBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn pause_schedules(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(BulkAction::PauseSchedules, &reading)?).await
}

/// Resume many schedules
#[utoipa::path(
    post, path = "/v1/schedules/resume", tag = "schedules", request_body = BulkBody,
    responses(
        (status = 202, description = "The bulk operation has started.", body = BatchResponse),
        (status = 200, description = "Dry run: the number of matches and up to ten of them.", body = MatchesResponse),
    )
)]
async fn resume_schedules(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<BulkBody>,
) -> ApiResult<Response> {
    let reading = reading(&state, &caller).await?;
    start(&state, &caller, body.into_request(BulkAction::ResumeSchedules, &reading)?).await
}
