//! Enqueue one job.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;

use crate::extract::{Identity, JsonBody, Traceparent};
use crate::problem::{ApiResult, Problem};
use crate::shapes::jobs::{EnqueuedResponse, JobBody};
use crate::state::ApiState;

/// Enqueue a job
///
/// The job is queued on `workflow-node` until a worker that polls for its type claims it. A 202 means that it is stored
/// durably.
#[utoipa::path(
    post, path = "/v1/jobs", tag = "jobs", request_body = JobBody,
    responses((status = 202, description = "Accepted.", body = EnqueuedResponse))
)]
pub(super) async fn enqueue_job(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Traceparent(header): Traceparent,
    JsonBody(body): JsonBody<JobBody>,
) -> ApiResult<(StatusCode, Json<EnqueuedResponse>)> {
    let request = body.into_request(header.as_deref())?;
    let enqueued = state.engine.enqueue(&caller, vec![request]).await?;
    let job = enqueued.into_iter().next().ok_or_else(Problem::internal)?;
    Ok((StatusCode::ACCEPTED, Json(job.into())))
}
