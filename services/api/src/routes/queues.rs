//! `/v1/queues` and `/v1/stats`: figures of the four queues now and over time; pause, resume, drain.

use axum::Json;
use axum::extract::State;
use domain::names::{JobType, NameFault, TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::scaling::Selection;
use domain::search::InstantSpan;
use domain::stats::Step;
use domain::time::Timestamp;
use engine::{Caller, StatRequest};
use serde::Deserialize;
use store::queues::QueueMode;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoBody, NoQuery, PathOf, Query};
use crate::problem::{ApiResult, Problem};
use crate::shapes::queues::{QueueModeResponse, QueueResponse, QueueScalingResponse, StatsResponse};
use crate::shapes::{ListOf, PrioritySchema, QueueSchema};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_queues))
        .routes(routes!(get_queue))
        .routes(routes!(queue_scaling))
        .routes(routes!(pause_queue))
        .routes(routes!(resume_queue))
        .routes(routes!(drain_queue))
}

/// List queues with their statistics
#[utoipa::path(
    get, path = "/v1/queues", tag = "queues",
    responses((status = 200, description = "The four queues.", body = ListOf<QueueResponse>))
)]
async fn list_queues(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<ListOf<QueueResponse>>> {
    let mut queues = Vec::with_capacity(QueueName::ALL.len());
    for queue in QueueName::ALL {
        queues.push(state.engine.queue_figures(&caller, queue).await?.into());
    }
    Ok(Json(ListOf::whole(queues)))
}

/// Show a queue with its statistics
#[utoipa::path(
    get, path = "/v1/queues/{queue}", tag = "queues", params(("queue" = inline(QueueSchema), Path)),
    responses((status = 200, description = "The queue.", body = QueueResponse))
)]
async fn get_queue(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(queue): PathOf<QueueName>,
) -> ApiResult<Json<QueueResponse>> {
    Ok(Json(state.engine.queue_figures(&caller, queue).await?.into()))
}

/// Which jobs to count.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ScalingQuery {
    /// Job types, separated by commas (default: all).
    job_type: Option<String>,
    /// Tenant, for keys that are not bound to a tenant.
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

impl ScalingQuery {
    fn selection(self) -> ApiResult<Selection> {
        let parse = |text: &str| {
            let fault = |NameFault(expected): NameFault| Problem::fault("/jobType", expected);
            JobType::parse(text.trim()).map_err(fault)
        };
        let job_types = self.job_type.as_deref().map(|types| types.split(',').map(parse).collect());
        let job_types: Option<Vec<JobType>> = job_types.transpose()?;
        if job_types.as_ref().is_some_and(|types| types.len() > JOB_TYPES_MAX) {
            let message = format!("expected at most {JOB_TYPES_MAX} job types");
            return Err(Problem::fault("/jobType", message));
        }
        Ok(Selection { tenant: self.tenant, job_types })
    }
}

/// How many job types one call names.
const JOB_TYPES_MAX: usize = 100;

/// Show how many workers a queue could use
///
/// For autoscalers: `desired` is the number of slots that could be busy now. Jobs held back by a limit or a pause do
/// not count. All nodes return the same figures, read from the database and at most one second old.
#[utoipa::path(
    get, path = "/v1/queues/{queue}/scaling", tag = "queues",
    params(("queue" = inline(QueueSchema), Path), ScalingQuery),
    responses((status = 200, description = "The load of the queue.", body = QueueScalingResponse))
)]
async fn queue_scaling(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(queue): PathOf<QueueName>,
    Query(query): Query<ScalingQuery>,
) -> ApiResult<Json<QueueScalingResponse>> {
    Ok(Json(state.engine.scaling(&caller, queue, query.selection()?).await?.into()))
}

/// Pause a queue
///
/// No jobs start until the queue is resumed. New jobs are accepted.
#[utoipa::path(
    post, path = "/v1/queues/{queue}/pause", tag = "queues", params(("queue" = inline(QueueSchema), Path)),
    responses((status = 200, description = "The queue's mode.", body = QueueModeResponse))
)]
async fn pause_queue(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(queue): PathOf<QueueName>,
    _: NoBody,
) -> ApiResult<Json<QueueModeResponse>> {
    set_mode(&state, &caller, queue, QueueMode::Paused).await
}

/// Resume a queue
#[utoipa::path(
    post, path = "/v1/queues/{queue}/resume", tag = "queues", params(("queue" = inline(QueueSchema), Path)),
    responses((status = 200, description = "The queue's mode.", body = QueueModeResponse))
)]
async fn resume_queue(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(queue): PathOf<QueueName>,
    _: NoBody,
) -> ApiResult<Json<QueueModeResponse>> {
    set_mode(&state, &caller, queue, QueueMode::Running).await
}

/// Drain a queue
///
/// Finishes queued jobs and rejects new ones from callers until the queue is resumed.
#[utoipa::path(
    post, path = "/v1/queues/{queue}/drain", tag = "queues", params(("queue" = inline(QueueSchema), Path)),
    responses((status = 200, description = "The queue's mode.", body = QueueModeResponse))
)]
async fn drain_queue(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(queue): PathOf<QueueName>,
    _: NoBody,
) -> ApiResult<Json<QueueModeResponse>> {
    set_mode(&state, &caller, queue, QueueMode::Draining).await
}

async fn set_mode(
    state: &ApiState,
    caller: &Caller,
    queue: QueueName,
    mode: QueueMode,
) -> ApiResult<Json<QueueModeResponse>> {
    state.engine.set_queue_mode(caller, queue, mode).await?;
    Ok(Json(QueueModeResponse {
        queue: queue.as_str(),
        mode: mode.as_str(),
        paused: mode == QueueMode::Paused,
    }))
}

// `/v1/stats`: figures of queues over time.

/// The routes.
pub(super) fn stats_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(get_stats))
}

/// Which figures to show.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct StatsQuery {
    #[param(value_type = Option<QueueSchema>, inline)]
    queue: Option<QueueName>,
    #[param(value_type = Option<PrioritySchema>, inline)]
    priority: Option<Tier>,
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
    #[param(value_type = Option<String>)]
    workflow: Option<WorkflowName>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-6h` (default: one hour before
    /// `to`, or one day with step `1h`).
    from: Option<String>,
    /// Before this instant, in the same formats (default: now).
    to: Option<String>,
    /// `1m` (default; kept for a day) or `1h` (kept for 30 days).
    step: Option<String>,
}

/// Show queue figures over time
///
/// Returns throughput, failures, backlog, and percentiles of wait, run and end-to-end times, by minute or hour. Figures are at
/// most 15 seconds behind. Returns up to 1,500 points.
#[utoipa::path(
    get, path = "/v1/stats", tag = "operations", params(StatsQuery),
    responses((status = 200, description = "The figures.", body = StatsResponse))
)]
async fn get_stats(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<StatsQuery>,
) -> ApiResult<Json<StatsResponse>> {
    let now = state.engine.now();
    let step = match query.step.as_deref() {
        None => Step::Minute,
        Some(text) => {
            Step::parse(text).ok_or_else(|| Problem::fault("/step", "query parameter: expected 1m or 1h"))?
        }
    };
    let request = StatRequest {
        step,
        from: instant("/from", query.from.as_deref(), now)?,
        to: instant("/to", query.to.as_deref(), now)?,
        tenant: query.tenant,
        workflow: query.workflow,
        queue: query.queue,
        tier: query.priority,
    };
    Ok(Json(state.engine.stats(&caller, &request).await?.into()))
}

fn instant(pointer: &str, text: Option<&str>, now: Timestamp) -> ApiResult<Option<Timestamp>> {
    let read = |text: &str| {
        InstantSpan::parse(text, now).map(|span| span.from).ok_or_else(|| {
            let expected = "an RFC 3339 instant, a date, now, or a time relative to now such as now-15m";
            Problem::fault(pointer, format!("query parameter: expected {expected}"))
        })
    };
    text.map(read).transpose()
}
