//! `/v1/jobs/logs` and the logs of jobs and executions.

use axum::Json;
use axum::extract::State;
use domain::id::{ExecutionId, JobId};
use domain::job_log::LogLevel;
use engine::LogRequest;
use serde::Deserialize;
use store::job_logs::LogPage;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, PathOf, Query, page_limit, position_cursor};
use crate::problem::ApiResult;
use crate::shapes::job_logs::{JobLinesBody, LogCursor, LogLineResponse, cursor_of};
use crate::shapes::leases::{OutcomeResponse, OutcomesResponse, ReportsBody};
use crate::shapes::{ListOf, LogLevelSchema};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(log_jobs))
        .routes(routes!(list_job_logs))
        .routes(routes!(list_execution_logs))
}

/// Add log lines to leased jobs
///
/// Each attempt keeps at most 1,000 lines and 256 KiB; one more line says how many were dropped. 429 `quota_exceeded` if
/// the tenants of all lines have reached their quota `logBytes`; if only some have, their lines are dropped.
#[utoipa::path(
    post, path = "/v1/jobs/logs", tag = "workers", request_body = ReportsBody<JobLinesBody>,
    responses((status = 200, description = "The outcome of each job.", body = OutcomesResponse))
)]
async fn log_jobs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<ReportsBody<JobLinesBody>>,
) -> ApiResult<Json<OutcomesResponse>> {
    let logged = body.into_items(JobLinesBody::into_lines)?;
    let ids: Vec<JobId> = logged.iter().map(|logged| logged.lease.id).collect();
    let outcomes = state.engine.log_jobs(&caller, logged).await?;
    let results = ids.into_iter().zip(outcomes).map(|(id, outcome)| OutcomeResponse::new(id, Ok(outcome)));
    Ok(Json(OutcomesResponse::from(results.collect::<Vec<_>>())))
}

/// Which lines of a job to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct JobLogsQuery {
    /// Filter by attempt.
    attempt: Option<u32>,
    /// Lowest level.
    #[param(value_type = Option<LogLevelSchema>, inline)]
    level: Option<LogLevel>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Which lines of an execution to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ExecutionLogsQuery {
    /// Lowest level.
    #[param(value_type = Option<LogLevelSchema>, inline)]
    level: Option<LogLevel>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// List the log lines of a job
///
/// Returns the lines of all attempts in order. Log lines are deleted after `retention.logs`, regardless of the job.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/logs", tag = "jobs", params(("id" = String, Path), JobLogsQuery),
    responses((status = 200, description = "Log lines.", body = ListOf<LogLineResponse>))
)]
async fn list_job_logs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<JobId>,
    Query(query): Query<JobLogsQuery>,
) -> ApiResult<Json<ListOf<LogLineResponse>>> {
    let request = request(query.level, query.limit, query.cursor.as_deref())?;
    let page = state.engine.job_logs(&caller, id, query.attempt, request).await?;
    Ok(Json(shown(page)))
}

/// List the log lines of an execution
///
/// Returns the lines of all nodes in order of time. A page may be short or empty and still have a `nextCursor` if few
/// lines have the level.
#[utoipa::path(
    get, path = "/v1/executions/{id}/logs", tag = "executions", params(("id" = String, Path), ExecutionLogsQuery),
    responses((status = 200, description = "Log lines.", body = ListOf<LogLineResponse>))
)]
async fn list_execution_logs(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    Query(query): Query<ExecutionLogsQuery>,
) -> ApiResult<Json<ListOf<LogLineResponse>>> {
    let request = request(query.level, query.limit, query.cursor.as_deref())?;
    let page = state.engine.execution_logs(&caller, id, request).await?;
    Ok(Json(shown(page)))
}

fn request(level: Option<LogLevel>, limit: Option<u32>, cursor: Option<&str>) -> ApiResult<LogRequest> {
    let after = position_cursor::<LogCursor>(cursor)?.map(|cursor| cursor.0);
    Ok(LogRequest { level: level.unwrap_or(LogLevel::Debug), after, limit: page_limit(limit)? })
}

fn shown(page: LogPage) -> ListOf<LogLineResponse> {
    let next_cursor = page.next.as_ref().map(cursor_of);
    let lines = page.lines.into_iter().map(LogLineResponse::from).collect();
    ListOf { next_cursor, ..ListOf::whole(lines) }
}
