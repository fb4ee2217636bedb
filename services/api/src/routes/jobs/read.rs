//! Look at jobs.

use axum::Json;
use axum::extract::State;
use domain::id::JobId;

use crate::extract::{Identity, JobsQuery, NoQuery, PathOf, Query};
use crate::json::RawJson;
use crate::problem::ApiResult;
use crate::routes::wait::ShowQuery;
use crate::shapes::ListOf;
use crate::shapes::jobs::JobResponse;
use crate::shapes::operations::WhyResponse;
use crate::state::ApiState;

/// List jobs, newest first
#[utoipa::path(
    get, path = "/v1/jobs", tag = "jobs", params(JobsQuery),
    responses((status = 200, description = "Jobs without their attempts.", body = ListOf<JobResponse>))
)]
pub(super) async fn list_jobs(
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
pub(super) async fn get_job(
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
pub(super) async fn why_job(
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
pub(super) async fn get_job_data(
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
pub(super) async fn get_job_result(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(state.engine.job(&caller, id).await?.result)))
}
