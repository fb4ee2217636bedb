//! Look at jobs.

use axum::Json;
use axum::extract::State;
use domain::id::{JobId, JobKind};

use crate::extract::{Identity, JobsQuery, PathOf, Query};
use crate::problem::ApiResult;
use crate::routes::wait::WaitQuery;
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
    Ok(Json(query.answer::<JobKind, _, _>(jobs, each)))
}

/// Show a job with its attempts
///
/// With `wait`, the response is delayed until the job ends or the timeout expires.
#[utoipa::path(
    get, path = "/v1/jobs/{id}", tag = "jobs", params(("id" = String, Path), WaitQuery),
    responses((status = 200, description = "The job.", body = JobResponse))
)]
pub(super) async fn get_job(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    Query(query): Query<WaitQuery>,
) -> ApiResult<Json<JobResponse>> {
    let job = match query.begin(&state, &caller)? {
        Some((wait, _seat)) => state.engine.wait_job(&caller, id, wait).await?,
        None => state.engine.job(&caller, id).await?,
    };
    let shown = state.engine.shown_attributes(&caller, [job.id.uuid()]).await?;
    Ok(Json(JobResponse::whole(job).with_attributes(&shown)))
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
