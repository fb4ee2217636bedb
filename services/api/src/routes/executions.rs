//! `/v1/executions`: start workflows, wait for them, look at them, send them commands.

mod read;

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use domain::id::ExecutionId;
use domain::names::CallerKey;
use engine::{Caller, ExecutionRequest};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::bodies::BodyShare;
use crate::extract::{Identity, JsonBody, NoBody, OptionalJsonBody, PathOf, Query, Traceparent};
use crate::json::RawJson;
use crate::problem::{ApiResult, Problem};
use crate::routes::batches::{Items, below_batch, results};
use crate::routes::wait::WaitQuery;
use crate::shapes::batches::{BatchResult, BatchResultsResponse};
use crate::shapes::executions::{
    CancelBody, CreatedResponse, ExecutionBatchBody, ExecutionBody, ExecutionResponse, RerunBody, SignalBody,
};
use crate::shapes::operations::{CommandAcceptedResponse, CommandResponse};
use crate::state::ApiState;

// Start one execution.

/// Start an execution
///
/// A 202 means that the execution is stored durably. With `wait`, the response is 200 with the ended execution, or 202
/// when the timeout expires.
#[utoipa::path(
    post, path = "/v1/executions", tag = "executions", params(WaitQuery), request_body = ExecutionBody,
    responses(
        (status = 202, description = "Accepted.", body = CreatedResponse),
        (status = 200, description = "The execution has ended.", body = ExecutionResponse),
    )
)]
async fn start_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Traceparent(header): Traceparent,
    Query(query): Query<WaitQuery>,
    share: Option<Extension<Arc<BodyShare>>>,
    JsonBody(body): JsonBody<ExecutionBody>,
) -> ApiResult<Response> {
    let wait = query.begin(&state, &caller)?;
    let request = body.into_request(header.as_deref())?;
    let Some((wait, _seat)) = wait else {
        let created = state.engine.start_executions(&caller, vec![request]).await?;
        let created = CreatedResponse::from(created.into_iter().next().ok_or_else(Problem::internal)?);
        return Ok((StatusCode::ACCEPTED, Json(created)).into_response());
    };
    let (created, started) = state.engine.start_awaited(&caller, request).await?;
    // Its input is stored, and must not keep others from sending theirs.
    if let Some(Extension(share)) = share {
        share.release();
    }
    let record = state.engine.wait_started(&caller, started, wait).await?;
    if record.status.is_terminal() {
        return Ok(Json(ExecutionResponse::whole(record)).into_response());
    }
    Ok((StatusCode::ACCEPTED, Json(CreatedResponse::from(created))).into_response())
}

// Start many executions in one commit.

type Answer = ApiResult<(StatusCode, Json<BatchResultsResponse<CreatedResponse>>)>;

/// Start many executions in one commit
///
/// Atomic, unless `partial` is true: then valid executions are accepted and each invalid one has its error in the
/// results.
#[utoipa::path(
    post, path = "/v1/executions/batch", tag = "executions", request_body = ExecutionBatchBody,
    responses((status = 202, description = "Accepted.", body = BatchResultsResponse<CreatedResponse>))
)]
async fn start_executions(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Traceparent(header): Traceparent,
    JsonBody(body): JsonBody<ExecutionBatchBody>,
) -> Answer {
    let items_max = state.engine.policy().batch_max;
    let items = Items::read("executions", body.executions, items_max, |execution: ExecutionBody| {
        execution.into_request(header.as_deref())
    })?;
    if body.partial {
        accept_valid(&state, &caller, items).await
    } else {
        accept_all(&state, &caller, items).await
    }
}

async fn accept_all(state: &ApiState, caller: &Caller, items: Items<ExecutionRequest>) -> Answer {
    let requests = items.all()?;
    let len = requests.len();
    let started = state.engine.start_executions(caller, requests).await;
    let created = started.map_err(|error| below_batch(error, "executions", len))?;
    let results = created.into_iter().map(|execution| BatchResult::Accepted(execution.into())).collect();
    Ok((StatusCode::ACCEPTED, Json(BatchResultsResponse { results })))
}

async fn accept_valid(state: &ApiState, caller: &Caller, mut items: Items<ExecutionRequest>) -> Answer {
    for index in 0..items.len() {
        let Some(request) = items.request(index) else {
            continue;
        };
        if let Err(error) = state.engine.check_execution(caller, request).await {
            items.refuse(index, error)?;
        }
    }
    let (requests, places) = items.part();
    let created = if requests.is_empty() {
        Vec::new()
    } else {
        state.engine.start_executions(caller, requests).await?
    };
    let accepted = created.into_iter().map(CreatedResponse::from).collect();
    Ok((StatusCode::ACCEPTED, Json(results(places, accepted))))
}

// Run an execution again from a chosen node.

/// Rerun an execution from a node
///
/// Starts a new execution of the same version. Results of nodes that do not follow the given node are reused;
/// those nodes do not run again. A failed rerun compensates its own nodes, and the reused ones
/// only with `compensateOriginal`.
#[utoipa::path(
    post, path = "/v1/executions/{id}/rerun", tag = "executions", params(("id" = String, Path)),
    request_body = RerunBody,
    responses((status = 202, description = "The new execution is accepted.", body = CreatedResponse))
)]
async fn rerun_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    JsonBody(body): JsonBody<RerunBody>,
) -> ApiResult<(StatusCode, Json<CreatedResponse>)> {
    let from = body.from_node.ok_or_else(|| Problem::fault("/fromNode", "is required"))?;
    let input = body.input.map(RawJson::into_text);
    let created = state.engine.rerun_execution(&caller, id, &from, input, body.compensate_original).await?;
    Ok((StatusCode::ACCEPTED, Json(created.into())))
}

// Commands to one execution. They are appended to its inbox, and applied in order by whoever owns the execution.

type CommandAnswer = ApiResult<(StatusCode, Json<CommandAcceptedResponse>)>;

/// Cancel an execution
///
/// With `compensate`, completed nodes are compensated first, in reverse order.
#[utoipa::path(
    post, path = "/v1/executions/{id}/cancel", tag = "executions", params(("id" = String, Path)),
    request_body(content = CancelBody, description = "Optional."),
    responses((status = 202, description = "The command is stored durably.", body = CommandAcceptedResponse))
)]
async fn cancel_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    OptionalJsonBody(body): OptionalJsonBody<CancelBody>,
) -> CommandAnswer {
    let command_position = state.engine.cancel_execution(&caller, id, body.reason, body.compensate).await?;
    Ok((StatusCode::ACCEPTED, Json(CommandAcceptedResponse { command_position })))
}

/// Retry a failed execution from its failed nodes
#[utoipa::path(
    post, path = "/v1/executions/{id}/retry", tag = "executions", params(("id" = String, Path)),
    responses((status = 202, description = "The command is stored durably.", body = CommandAcceptedResponse))
)]
async fn retry_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    _: NoBody,
) -> CommandAnswer {
    let command_position = state.engine.retry_execution(&caller, id).await?;
    Ok((StatusCode::ACCEPTED, Json(CommandAcceptedResponse { command_position })))
}

/// Send a signal to an execution
///
/// The first node that waits for this signal name receives it. Earlier signals are buffered, at most 1,000 per
/// execution.
#[utoipa::path(
    post, path = "/v1/executions/{id}/signals/{name}", tag = "executions",
    params(("id" = String, Path), ("name" = String, Path, description = "1 to 200 printable characters.")),
    request_body(content = SignalBody, description = "Optional."),
    responses((status = 202, description = "The command is stored durably.", body = CommandAcceptedResponse))
)]
async fn signal_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, name)): PathOf<(ExecutionId, CallerKey)>,
    OptionalJsonBody(body): OptionalJsonBody<SignalBody>,
) -> CommandAnswer {
    let command_position = state.engine.signal_execution(&caller, id, &name, body.into_text()).await?;
    Ok((StatusCode::ACCEPTED, Json(CommandAcceptedResponse { command_position })))
}

// Which call is answered where.

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(start_execution, read::list_executions))
        .routes(routes!(start_executions))
        .routes(routes!(read::get_execution))
        .routes(routes!(read::list_nodes))
        .routes(routes!(read::get_node))
        .routes(routes!(read::list_node_items))
        .routes(routes!(read::get_execution_input))
        .routes(routes!(read::get_execution_output))
        .routes(routes!(read::get_node_input))
        .routes(routes!(read::get_node_output))
        .routes(routes!(read::list_timeline))
        .routes(routes!(read::list_states))
        .routes(routes!(read::why_execution))
        .routes(routes!(cancel_execution))
        .routes(routes!(retry_execution))
        .routes(routes!(signal_execution))
        .routes(routes!(rerun_execution))
}

// `/v1/commands`: what became of a command.

/// The routes.
pub(super) fn commands_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(get_command))
}

/// Show the status of a command
#[utoipa::path(
    get, path = "/v1/commands/{position}", tag = "executions", params(("position" = i64, Path)),
    responses((status = 200, description = "The command.", body = CommandResponse))
)]
async fn get_command(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(position): PathOf<i64>,
) -> ApiResult<Json<CommandResponse>> {
    Ok(Json(state.engine.command(&caller, position).await?.into()))
}
