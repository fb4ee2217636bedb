//! What workers call: poll, complete, fail, heartbeat. Safe to repeat, because every report carries its lease.

use std::convert::Infallible;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use domain::id::JobId;
use engine::{LeaseOutcome, PollReceipt, PolledJobs};
use futures::stream;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody};
use crate::problem::{ApiResult, Problem};
use crate::shapes::leases::{
    CompleteBody, FailBody, HeartbeatBody, OutcomeShape, OutcomesShape, PollBody, PolledJobShape,
    PolledJobsShape, ReportsBody,
};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(poll_jobs))
        .routes(routes!(complete_jobs))
        .routes(routes!(fail_jobs))
        .routes(routes!(heartbeat_jobs))
}

/// Take jobs
///
/// Leases up to `maxJobs` jobs of the given types to the worker. With `wait` the answer is held until there is one.
#[utoipa::path(
    post, path = "/v1/jobs/poll", tag = "workers", request_body = PollBody,
    responses((status = 200, description = "The jobs, in the order in which to start them.", body = PolledJobsShape))
)]
async fn poll_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<PollBody>,
) -> ApiResult<Response> {
    let mut request = body.into_request()?;
    if let Some(wait) = request.wait
        && wait <= state.engine.policy().poll_wait_max
    {
        request.wait = Some(state.wait_within(wait));
    }
    let PolledJobs { jobs, receipt } = state.engine.poll(&caller, request).await?;
    let shape = PolledJobsShape { jobs: jobs.into_iter().map(PolledJobShape::from).collect() };
    let answer = serde_json::to_vec(&shape).map_err(|_| Problem::internal())?;
    Ok(with_receipt(answer, receipt))
}

/// An answer whose jobs go back if nobody is there any more to read it.
fn with_receipt(answer: Vec<u8>, receipt: PollReceipt) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CONTENT_LENGTH, HeaderValue::from(answer.len())),
    ];
    let body = Body::from_stream(stream::once(async move {
        receipt.sent();
        Ok::<_, Infallible>(Bytes::from(answer))
    }));
    (headers, body).into_response()
}

/// Report jobs as done
#[utoipa::path(
    post, path = "/v1/jobs/complete", tag = "workers", request_body = ReportsBody<CompleteBody>,
    responses((status = 200, description = "What became of each report.", body = OutcomesShape))
)]
async fn complete_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<ReportsBody<CompleteBody>>,
) -> ApiResult<Json<OutcomesShape>> {
    let items = body.into_items(CompleteBody::into_item)?;
    let ids: Vec<JobId> = items.iter().map(|item| item.lease.id).collect();
    let outcomes = state.engine.complete(&caller, items).await?;
    Ok(Json(in_order(ids, outcomes)))
}

/// Report jobs as failed
///
/// Each is tried again after its backoff, or becomes a dead letter when it is out of retries or not `retryable`.
#[utoipa::path(
    post, path = "/v1/jobs/fail", tag = "workers", request_body = ReportsBody<FailBody>,
    responses((status = 200, description = "What became of each report.", body = OutcomesShape))
)]
async fn fail_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<ReportsBody<FailBody>>,
) -> ApiResult<Json<OutcomesShape>> {
    let items = body.into_items(FailBody::into_item)?;
    let ids: Vec<JobId> = items.iter().map(|item| item.lease.id).collect();
    let outcomes = state.engine.fail(&caller, items).await?;
    Ok(Json(in_order(ids, outcomes)))
}

/// Renew leases
#[utoipa::path(
    post, path = "/v1/jobs/heartbeat", tag = "workers", request_body = ReportsBody<HeartbeatBody>,
    responses((status = 200, description = "What became of each lease.", body = OutcomesShape))
)]
async fn heartbeat_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<ReportsBody<HeartbeatBody>>,
) -> ApiResult<Json<OutcomesShape>> {
    let items = body.into_items(HeartbeatBody::into_item)?;
    let ids: Vec<JobId> = items.iter().map(|item| item.lease.id).collect();
    let outcomes = state.engine.heartbeat(&caller, items).await?;
    let results = ids
        .into_iter()
        .zip(outcomes)
        .map(|(id, (outcome, lease_until))| OutcomeShape::new(id, outcome, lease_until))
        .collect();
    Ok(Json(OutcomesShape { results }))
}

fn in_order(ids: Vec<JobId>, outcomes: Vec<LeaseOutcome>) -> OutcomesShape {
    let results =
        ids.into_iter().zip(outcomes).map(|(id, outcome)| OutcomeShape::new(id, outcome, None)).collect();
    OutcomesShape { results }
}
