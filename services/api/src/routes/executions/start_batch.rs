//! Start many executions in one commit.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use engine::{Caller, ExecutionRequest};

use crate::extract::{Identity, JsonBody, Traceparent};
use crate::problem::ApiResult;
use crate::routes::batch_items::{Items, below_batch, results};
use crate::shapes::batch_results::{BatchResult, BatchResultsResponse};
use crate::shapes::executions::{CreatedResponse, ExecutionBatchBody, ExecutionBody};
use crate::state::ApiState;

type Answer = ApiResult<(StatusCode, Json<BatchResultsResponse<CreatedResponse>>)>;

/// Start many executions in one commit
///
/// Atomic, unless `partial` is true: then valid executions are accepted and each invalid one has its error in the
/// results.
#[utoipa::path(
    post, path = "/v1/executions/batch", tag = "executions", request_body = ExecutionBatchBody,
    responses((status = 202, description = "Accepted.", body = BatchResultsResponse<CreatedResponse>))
)]
pub(super) async fn start_executions(
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
