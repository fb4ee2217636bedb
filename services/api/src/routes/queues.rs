//! `/v1/queues`: figures of the four queues, pause, resume, drain.

use axum::Json;
use axum::extract::State;
use domain::queue::QueueName;
use engine::Caller;
use store::queues::QueueMode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoBody, NoQuery, PathOf};
use crate::problem::ApiResult;
use crate::shapes::queues::{QueueModeResponse, QueueResponse};
use crate::shapes::{ListOf, QueueSchema};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_queues))
        .routes(routes!(get_queue))
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
