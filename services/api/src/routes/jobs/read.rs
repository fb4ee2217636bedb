//! Look at jobs.

use axum::Json;
use axum::extract::State;
use domain::id::{ExecutionId, JobId, JobKind};
use domain::job::JobStatus;
use domain::names::{JobType, Tag, TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use serde::Deserialize;
use store::jobs::JobFilter;
use utoipa::IntoParams;

use crate::extract::{Identity, PathOf, Query, page};
use crate::problem::ApiResult;
use crate::routes::wait::WaitQuery;
use crate::shapes::jobs::JobResponse;
use crate::shapes::operations::WhyResponse;
use crate::shapes::{JobStatusSchema, ListOf, PrioritySchema, QueueSchema, job_status};
use crate::state::ApiState;

/// Which jobs to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct JobsQuery {
    #[param(value_type = Option<QueueSchema>, inline)]
    queue: Option<QueueName>,
    #[serde(default, deserialize_with = "job_status")]
    #[param(value_type = Option<JobStatusSchema>, inline)]
    status: Option<JobStatus>,
    #[param(value_type = Option<String>)]
    job_type: Option<JobType>,
    #[param(value_type = Option<String>)]
    workflow: Option<WorkflowName>,
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
    #[param(value_type = Option<PrioritySchema>, inline)]
    priority: Option<Tier>,
    #[param(value_type = Option<String>)]
    tag: Option<Tag>,
    #[param(value_type = Option<String>)]
    execution_id: Option<ExecutionId>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// List jobs, newest first
#[utoipa::path(
    get, path = "/v1/jobs", tag = "jobs", params(JobsQuery),
    responses((status = 200, description = "Jobs without their attempts.", body = ListOf<JobResponse>))
)]
pub(super) async fn list_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<JobsQuery>,
) -> ApiResult<Json<ListOf<JobResponse>>> {
    let page = page::<JobKind>(query.limit, query.cursor.as_deref())?;
    let filter = JobFilter {
        queue: query.queue,
        status: query.status,
        job_type: query.job_type,
        workflow: query.workflow,
        tenant: query.tenant,
        tier: query.priority,
        tag: query.tag,
        execution_id: query.execution_id,
    };
    let jobs = state.engine.list_jobs(&caller, &filter, page).await?;
    Ok(Json(ListOf::of_page::<JobKind, _>(jobs, JobResponse::in_list)))
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
    Ok(Json(JobResponse::whole(job)))
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
