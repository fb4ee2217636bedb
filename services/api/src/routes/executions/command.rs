//! Commands to one execution. They are appended to its inbox, and applied in order by whoever owns the execution.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::ExecutionId;
use domain::names::CallerKey;

use crate::extract::{Identity, NoBody, OptionalJsonBody, PathOf};
use crate::problem::ApiResult;
use crate::shapes::executions::{CancelBody, SignalBody};
use crate::shapes::operations::CommandAcceptedResponse;
use crate::state::ApiState;

type Answer = ApiResult<(StatusCode, Json<CommandAcceptedResponse>)>;

/// Cancel an execution
///
/// With `compensate`, completed nodes are compensated first, in reverse order.
#[utoipa::path(
    post, path = "/v1/executions/{id}/cancel", tag = "executions", params(("id" = String, Path)),
    request_body(content = CancelBody, description = "Optional."),
    responses((status = 202, description = "The command is stored durably.", body = CommandAcceptedResponse))
)]
pub(super) async fn cancel_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    OptionalJsonBody(body): OptionalJsonBody<CancelBody>,
) -> Answer {
    let command_position = state.engine.cancel_execution(&caller, id, body.reason, body.compensate).await?;
    Ok((StatusCode::ACCEPTED, Json(CommandAcceptedResponse { command_position })))
}

/// Retry a failed execution from its failed nodes
#[utoipa::path(
    post, path = "/v1/executions/{id}/retry", tag = "executions", params(("id" = String, Path)),
    responses((status = 202, description = "The command is stored durably.", body = CommandAcceptedResponse))
)]
pub(super) async fn retry_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    _: NoBody,
) -> Answer {
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
pub(super) async fn signal_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, name)): PathOf<(ExecutionId, CallerKey)>,
    OptionalJsonBody(body): OptionalJsonBody<SignalBody>,
) -> Answer {
    let command_position = state.engine.signal_execution(&caller, id, &name, body.into_text()).await?;
    Ok((StatusCode::ACCEPTED, Json(CommandAcceptedResponse { command_position })))
}
