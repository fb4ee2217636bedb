//! `/v1/jobs`: stand-alone jobs, and a look at the jobs of all queues.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::JobId;
use domain::queue::Tier;
use engine::{Caller, JobRequest};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JobsQuery, JsonBody, NoBody, NoQuery, PathOf, Query, Traceparent};
use crate::json::{RawJson, present};
use crate::problem::{ApiResult, Problem};
use crate::routes::batches::{Items, below_batch, results};
use crate::routes::wait::ShowQuery;
use crate::shapes::batches::{BatchResult, BatchResultsResponse};
use crate::shapes::jobs::{EnqueuedResponse, JobBatchBody, JobBody, JobResponse};
use crate::shapes::operations::{JobChangeResponse, WhyResponse};
use crate::shapes::{ListOf, PrioritySchema};
use crate::state::ApiState;

// Enqueue one job.

/// Enqueue a job
///
/// The job is queued on `workflow-node` until a worker that polls for its type claims it. A 202 means that it is stored
/// durably.
#[utoipa::path(
    post, path = "/v1/jobs", tag = "jobs", request_body = JobBody,
    responses((status = 202, description = "Accepted.", body = EnqueuedResponse))
)]
async fn enqueue_job(
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

// Enqueue many jobs in one commit.

type Answer = ApiResult<(StatusCode, Json<BatchResultsResponse<EnqueuedResponse>>)>;

/// Enqueue many jobs in one commit
///
/// Atomic, unless `partial` is true: then valid jobs are accepted and each invalid one has its error in the
/// results.
#[utoipa::path(
    post, path = "/v1/jobs/batch", tag = "jobs", request_body = JobBatchBody,
    responses((status = 202, description = "Accepted.", body = BatchResultsResponse<EnqueuedResponse>))
)]
async fn enqueue_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Traceparent(header): Traceparent,
    JsonBody(body): JsonBody<JobBatchBody>,
) -> Answer {
    let items_max = state.engine.policy().batch_max;
    let items =
        Items::read("jobs", body.jobs, items_max, |job: JobBody| job.into_request(header.as_deref()))?;
    if body.partial {
        accept_valid(&state, &caller, items).await
    } else {
        accept_all(&state, &caller, items).await
    }
}

async fn accept_all(state: &ApiState, caller: &Caller, items: Items<JobRequest>) -> Answer {
    let requests = items.all()?;
    let len = requests.len();
    let enqueued =
        state.engine.enqueue(caller, requests).await.map_err(|error| below_batch(error, "jobs", len))?;
    let results = enqueued.into_iter().map(|job| BatchResult::Accepted(job.into())).collect();
    Ok((StatusCode::ACCEPTED, Json(BatchResultsResponse { results })))
}

async fn accept_valid(state: &ApiState, caller: &Caller, mut items: Items<JobRequest>) -> Answer {
    for index in 0..items.len() {
        let Some(request) = items.request(index) else {
            continue;
        };
        if let Err(error) = state.engine.check_job(caller, request).await {
            items.refuse(index, error)?;
        }
    }
    let (requests, places) = items.part();
    let enqueued =
        if requests.is_empty() { Vec::new() } else { state.engine.enqueue(caller, requests).await? };
    let accepted = enqueued.into_iter().map(EnqueuedResponse::from).collect();
    Ok((StatusCode::ACCEPTED, Json(results(places, accepted))))
}

// Look at jobs.

/// List jobs, newest first
#[utoipa::path(
    get, path = "/v1/jobs", tag = "jobs", params(JobsQuery),
    responses((status = 200, description = "Jobs without their attempts.", body = ListOf<JobResponse>))
)]
async fn list_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: JobsQuery,
) -> ApiResult<Json<ListOf<JobResponse>>> {
    let jobs = state.engine.search_jobs(&caller, query.request()).await?;
    let shown = state.engine.shown_attributes(&caller, jobs.items.iter().map(|job| job.id.uuid())).await?;
    let each = |job| JobResponse::in_list(job).with_attributes(&shown);
    Ok(Json(query.answer(jobs, each)))
}

/// Show a job with its attempts
///
/// With `wait`, the response is delayed until the job ends or the timeout expires.
#[utoipa::path(
    get, path = "/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path), ShowQuery),
    responses((status = 200, description = "The job.", body = JobResponse))
)]
async fn get_job(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    Query(query): Query<ShowQuery>,
) -> ApiResult<Json<JobResponse>> {
    let job = match query.begin(&state, &caller)? {
        Some((wait, _seat)) => state.engine.wait_job(&caller, id, wait).await?,
        None => state.engine.job(&caller, id).await?,
    };
    let shown = state.engine.shown_attributes(&caller, [job.id.uuid()]).await?;
    Ok(Json(JobResponse::whole(job, query.max_payload).with_attributes(&shown)))
}

/// Explain why a job is not running
#[utoipa::path(
    get, path = "/v1/jobs/{id}/why", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, description = "The first reason why the job is not running.", body = WhyResponse))
)]
async fn why_job(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
) -> ApiResult<Json<WhyResponse>> {
    Ok(Json(state.engine.why(&caller, id).await?.into()))
}

/// Get the data of a job
#[utoipa::path(
    get, path = "/v1/jobs/{id}/data", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, description = "The data.", body = RawJson))
)]
async fn get_job_data(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(state.engine.job(&caller, id).await?.data)))
}

/// Get the result of a job
///
/// `null` until it completes.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/result", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, description = "The result.", body = RawJson))
)]
async fn get_job_result(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(state.engine.job(&caller, id).await?.result)))
}

// Change one job: cancel, run now, another priority.

/// Cancel a job
///
/// A running job loses its lease immediately. Cancelling the job of an execution cancels the execution.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/cancel", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, description = "The new status of the job.", body = JobChangeResponse))
)]
async fn cancel_job(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    _: NoBody,
) -> ApiResult<Json<JobChangeResponse>> {
    let status = state.engine.cancel_job(&caller, id).await?.as_str();
    Ok(Json(JobChangeResponse { id, status }))
}

/// Make a job due now
///
/// A job that waits for its due time or its next retry becomes due immediately.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/retry", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, description = "The new status of the job.", body = JobChangeResponse))
)]
async fn retry_job(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    _: NoBody,
) -> ApiResult<Json<JobChangeResponse>> {
    let status = state.engine.run_job_now(&caller, id).await?.as_str();
    Ok(Json(JobChangeResponse { id, status }))
}

/// New priority.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ReprioritizeRequest)]
struct ReprioritizeBody {
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = PrioritySchema, required = true)]
    priority: Option<Tier>,
}

/// Change the priority of a waiting job
#[utoipa::path(
    post, path = "/v1/jobs/{id}/reprioritize", tag = "jobs", params(("id" = String, Path)),
    request_body = ReprioritizeBody,
    responses((status = 200, description = "The new status of the job.", body = JobChangeResponse))
)]
async fn reprioritize_job(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    JsonBody(body): JsonBody<ReprioritizeBody>,
) -> ApiResult<Json<JobChangeResponse>> {
    let tier = body.priority.ok_or_else(|| Problem::fault("/priority", "is required"))?;
    let status = state.engine.reprioritize_job(&caller, id, tier).await?.as_str();
    Ok(Json(JobChangeResponse { id, status }))
}

// Which call is answered where.

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(enqueue_job, list_jobs))
        .routes(routes!(enqueue_jobs))
        .routes(routes!(get_job))
        .routes(routes!(why_job))
        .routes(routes!(get_job_data))
        .routes(routes!(get_job_result))
        .routes(routes!(cancel_job))
        .routes(routes!(retry_job))
        .routes(routes!(reprioritize_job))
}
