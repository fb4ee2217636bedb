//! Change one job: cancel, run now, another priority.

use axum::Json;
use axum::extract::State;
use domain::id::JobId;
use domain::queue::Tier;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::extract::{Identity, JsonBody, NoBody, PathOf};
use crate::json::present;
use crate::problem::{ApiResult, Problem};
use crate::shapes::PrioritySchema;
use crate::shapes::operations::JobChangeResponse;
use crate::state::ApiState;

/// Cancel a job
///
/// A running job loses its lease immediately. Cancelling the job of an execution cancels the execution.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/cancel", tag = "jobs", params(("id" = String, Path)),
    responses((status = 200, description = "The new status of the job.", body = JobChangeResponse))
)]
pub(super) async fn cancel_job(
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
pub(super) async fn retry_job(
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
pub(super) struct ReprioritizeBody {
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
pub(super) async fn reprioritize_job(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    JsonBody(body): JsonBody<ReprioritizeBody>,
) -> ApiResult<Json<JobChangeResponse>> {
    let tier = body.priority.ok_or_else(|| Problem::fault("/priority", "is required"))?;
    let status = state.engine.reprioritize_job(&caller, id, tier).await?.as_str();
    Ok(Json(JobChangeResponse { id, status }))
}
