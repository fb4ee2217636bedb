//! What workers call: poll, complete, fail, heartbeat, release; and which workers there are. Reports are safe to
//! repeat, because each carries its lease.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use domain::id::JobId;
use domain::names::{TenantName, WorkerId};
use domain::time::DurationMs;
use engine::{Caller, NextPoll, PollReceipt, PollRequest, PolledJobs, Rejection, Waiting};
use futures::stream;
use serde::{Deserialize, Serialize};
use store::jobs::{ClaimedJob, LeaseAnswer};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::bodies::BodyShare;
use crate::compression;
use crate::extract::{Identity, JsonBody, NoBody, PathOf, Query, WorkersQuery};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::leases::{
    CompleteBody, FailBody, HeartbeatBody, OutcomeResponse, OutcomesResponse, PollBody, PolledJobResponse,
    PolledJobsResponse, ReleaseBody, ReportsBody, SettlementsBody,
};
use crate::shapes::offers::{AcceptBody, AcceptedJobsResponse};
use crate::shapes::operations::WorkerResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(poll_jobs))
        .routes(routes!(accept_jobs))
        .routes(routes!(complete_jobs))
        .routes(routes!(fail_jobs))
        .routes(routes!(heartbeat_jobs))
        .routes(routes!(release_jobs))
        .route_layer(map_response(compression::send_as_is))
}

/// Poll for jobs
///
/// Leases up to `maxJobs` jobs of the given types to the worker. With `wait`, the request blocks until a job is
/// available. A worker that is being drained receives no jobs, and `drain` is true.
#[utoipa::path(
    post, path = "/v1/jobs/poll", tag = "workers", request_body = PollBody,
    responses((status = 200, description = "Leased jobs, in the order in which to start them.", body = PolledJobsResponse))
)]
async fn poll_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    share: Option<Extension<Arc<BodyShare>>>,
    JsonBody(body): JsonBody<PollBody>,
) -> ApiResult<Response> {
    let mut request = body.into_request()?;
    if let Some(wait) = request.wait
        && wait <= state.engine.policy().poll_wait_max
    {
        request.wait = Some(state.wait_within(wait));
    }
    // Held while the poll is.
    let _seat = match request.wait {
        Some(wait) if wait > DurationMs::ZERO => Some(state.engine.take_seat(&caller, Waiting::Poll)?),
        _ => None,
    };
    // It is read, and must not keep others from sending theirs for as long as the poll waits.
    if let Some(Extension(share)) = share {
        share.release();
    }
    let (answer, receipt) = shapes_of(state.engine.poll(&caller, request).await?);
    with_receipt(&answer, receipt)
}

fn shapes_of(polled: PolledJobs) -> (PolledJobsResponse, PollReceipt) {
    let PolledJobs { jobs, mut earlier, receipt, is_draining } = polled;
    let with_history = |job: ClaimedJob| {
        let earlier = earlier.remove(&job.id).unwrap_or_default();
        PolledJobResponse::new(job, earlier)
    };
    let jobs = jobs.into_iter().map(with_history).collect();
    (PolledJobsResponse { jobs, drain: is_draining.then_some(true) }, receipt)
}

/// An answer whose jobs go back if nobody is there any more to read it.
fn with_receipt(shape: &impl Serialize, receipt: PollReceipt) -> ApiResult<Response> {
    let answer = serde_json::to_vec(shape).map_err(|_| Problem::internal())?;
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (CONTENT_LENGTH, HeaderValue::from(answer.len())),
    ];
    let body = Body::from_stream(stream::once(async move {
        receipt.sent();
        Ok::<_, Infallible>(Bytes::from(answer))
    }));
    Ok((headers, body).into_response())
}

/// The answer to reports; with the next jobs where they came with a poll.
async fn answer(mut outcomes: OutcomesResponse, next: Option<NextPoll>) -> ApiResult<Response> {
    let Some(next) = next else {
        return Ok(Json(outcomes).into_response());
    };
    let (polled, receipt) = shapes_of(next.jobs().await);
    (outcomes.jobs, outcomes.drain) = (Some(polled.jobs), polled.drain);
    with_receipt(&outcomes, receipt)
}

/// Puts the poll that reports came with in line.
fn put_in_line(state: &ApiState, caller: &Caller, poll: Option<PollRequest>) -> ApiResult<Option<NextPoll>> {
    let in_line = poll.map(|poll| state.engine.poll_next(caller, poll)).transpose();
    in_line.map_err(|error| Problem::from(error).under("/poll"))
}

/// Accept jobs from Kafka
///
/// Starts the leases of jobs that were received from Kafka, one call per fetch. `taken` means a duplicate: another
/// worker has the job, and this worker must not run it. Reports carry the `leaseToken` of the response.
#[utoipa::path(
    post, path = "/v1/jobs/accept", tag = "workers", request_body = AcceptBody,
    responses((status = 200, description = "The outcome of each job, in order.", body = AcceptedJobsResponse))
)]
async fn accept_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<AcceptBody>,
) -> ApiResult<Json<AcceptedJobsResponse>> {
    let request = body.into_request()?;
    let ids: Vec<JobId> = request.offers.iter().map(|offer| offer.id).collect();
    let accepted = state.engine.accept(&caller, request).await?;
    Ok(Json(AcceptedJobsResponse::new(ids, accepted)))
}

/// Complete jobs
///
/// Each job has its own outcome: a result that is too large is `rejected` with a reason, and the other jobs complete.
/// With `poll`, the response also carries the next jobs.
#[utoipa::path(
    post, path = "/v1/jobs/complete", tag = "workers", request_body = SettlementsBody<CompleteBody>,
    responses((status = 200, description = "The outcome of each report.", body = OutcomesResponse))
)]
async fn complete_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<SettlementsBody<CompleteBody>>,
) -> ApiResult<Response> {
    let (mut body, poll) = body.into_parts()?;
    let logged = body.take_logs()?;
    let items = body.into_items(CompleteBody::into_item)?;
    let ids: Vec<JobId> = items.iter().map(|item| item.lease.id).collect();
    let next = put_in_line(&state, &caller, poll)?;
    state.engine.log_with_reports(&caller, logged).await?;
    let outcomes = state.engine.complete(&caller, items).await?;
    answer(in_order(ids, outcomes), next).await
}

/// Fail jobs
///
/// Each job is retried after its backoff, or becomes a dead letter if it has no retries left or is not `retryable`.
/// With `poll`, the response also carries the next jobs.
#[utoipa::path(
    post, path = "/v1/jobs/fail", tag = "workers", request_body = SettlementsBody<FailBody>,
    responses((status = 200, description = "The outcome of each report.", body = OutcomesResponse))
)]
async fn fail_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<SettlementsBody<FailBody>>,
) -> ApiResult<Response> {
    let (mut body, poll) = body.into_parts()?;
    let logged = body.take_logs()?;
    let items = body.into_items(FailBody::into_item)?;
    let ids: Vec<JobId> = items.iter().map(|item| item.lease.id).collect();
    let next = put_in_line(&state, &caller, poll)?;
    state.engine.log_with_reports(&caller, logged).await?;
    let outcomes = state.engine.fail(&caller, items).await?;
    answer(in_order(ids, outcomes), next).await
}

/// Renew leases
///
/// `cancelled` and `lease_lost` mean that this worker no longer owns the job; its handler should stop.
#[utoipa::path(
    post, path = "/v1/jobs/heartbeat", tag = "workers", request_body = ReportsBody<HeartbeatBody>,
    responses((status = 200, description = "The outcome of each lease.", body = OutcomesResponse))
)]
async fn heartbeat_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(mut body): JsonBody<ReportsBody<HeartbeatBody>>,
) -> ApiResult<Json<OutcomesResponse>> {
    let logged = body.take_logs()?;
    let items = body.into_items(HeartbeatBody::into_item)?;
    let ids: Vec<JobId> = items.iter().map(|item| item.lease.id).collect();
    state.engine.log_with_reports(&caller, logged).await?;
    let outcomes = state.engine.heartbeat(&caller, items).await?;
    let renewed = ids.into_iter().zip(outcomes).map(|(id, answer)| OutcomeResponse::renewed(id, answer));
    Ok(Json(OutcomesResponse::from(renewed.collect::<Vec<_>>())))
}

/// Release jobs
///
/// The jobs return to their queue without consuming an attempt, immediately or after `delay`. Reported progress is
/// passed to the next attempt.
#[utoipa::path(
    post, path = "/v1/jobs/release", tag = "workers", request_body = ReportsBody<ReleaseBody>,
    responses((status = 200, description = "The outcome of each job.", body = OutcomesResponse))
)]
async fn release_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<ReportsBody<ReleaseBody>>,
) -> ApiResult<Json<OutcomesResponse>> {
    let items = body.into_items(ReleaseBody::into_item)?;
    let ids: Vec<JobId> = items.iter().map(|item| item.lease.id).collect();
    let outcomes = state.engine.release_jobs(&caller, items).await?;
    Ok(Json(in_order(ids, outcomes)))
}

fn in_order(ids: Vec<JobId>, answers: Vec<Result<LeaseAnswer, Rejection>>) -> OutcomesResponse {
    let outcomes = ids.into_iter().zip(answers).map(|(id, answer)| OutcomeResponse::new(id, answer));
    OutcomesResponse::from(outcomes.collect::<Vec<_>>())
}

// `/v1/workers`: who takes jobs.

/// The routes.
pub(super) fn workers_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_workers)).routes(routes!(drain_worker))
}

/// List workers, most recently seen first
///
/// Without a range of `lastSeen` or `firstSeen`, lists workers seen in the last ten minutes.
#[utoipa::path(
    get, path = "/v1/workers", tag = "operations", params(WorkersQuery),
    responses((status = 200, description = "Workers with their number of leased jobs.", body = ListOf<WorkerResponse>))
)]
async fn list_workers(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: WorkersQuery,
) -> ApiResult<Json<ListOf<WorkerResponse>>> {
    let workers = state.engine.search_workers(&caller, query.request()).await?;
    Ok(Json(query.answer(workers, WorkerResponse::from)))
}

/// Whose worker is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct DrainQuery {
    /// Tenant that the worker's key is bound to.
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

/// Drain a worker
///
/// Until the worker is gone, its polls return no jobs but `drain`, and its stream ends. Jobs that it already has are
/// not affected. A worker that appears under the same ID after a minute of inactivity is not drained.
#[utoipa::path(
    post, path = "/v1/workers/{id}/drain", tag = "operations", params(("id" = String, Path), DrainQuery),
    responses((status = 204, description = "The worker is being drained."))
)]
async fn drain_worker(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WorkerId>,
    Query(query): Query<DrainQuery>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.drain_worker(&caller, &id, query.tenant).await?;
    Ok(StatusCode::NO_CONTENT)
}
