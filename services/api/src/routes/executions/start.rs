//! Start one execution.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};

use crate::bodies::BodyShare;
use crate::extract::{Identity, JsonBody, Query, Traceparent};
use crate::problem::{ApiResult, Problem};
use crate::routes::wait::WaitQuery;
use crate::shapes::executions::{CreatedResponse, ExecutionBody, ExecutionResponse};
use crate::state::ApiState;

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
pub(super) async fn start_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Traceparent(header): Traceparent,
    Query(query): Query<WaitQuery>,
    share: Option<Extension<Arc<BodyShare>>>,
    JsonBody(body): JsonBody<ExecutionBody>,
) -> ApiResult<Response> {
    let wait = query.begin(&state, &caller)?;
    let request = body.into_request(header.as_deref())?;
    let created = state.engine.start_executions(&caller, vec![request]).await?;
    let created = CreatedResponse::from(created.into_iter().next().ok_or_else(Problem::internal)?);
    if let Some((wait, _seat)) = wait {
        // Its input is stored, and must not keep others from sending theirs.
        if let Some(Extension(share)) = share {
            share.release();
        }
        let record = state.engine.wait_execution(&caller, created.id, wait).await?;
        if record.status.is_terminal() {
            return Ok(Json(ExecutionResponse::whole(record)).into_response());
        }
    }
    Ok((StatusCode::ACCEPTED, Json(created)).into_response())
}
