//! Run a definition on paper.

use axum::Json;
use axum::extract::State;

use crate::extract::{Identity, JsonBody};
use crate::problem::ApiResult;
use crate::shapes::simulations::{SimulationBody, SimulationResponse};
use crate::state::ApiState;

/// Simulate a workflow
///
/// Runs a definition with the results that you give in place of handlers, people and other systems. Nothing is stored,
/// no job is created, and the clock jumps to the next timer. A node without a result ends the run as waiting for it.
#[utoipa::path(
    post, path = "/v1/workflows/simulate", tag = "workflows", request_body = SimulationBody,
    responses((status = 200, description = "Where the execution ended or waits.", body = SimulationResponse))
)]
pub(super) async fn simulate_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<SimulationBody>,
) -> ApiResult<Json<SimulationResponse>> {
    let simulation = state.engine.simulate_workflow(&caller, body.into_request()?).await?;
    Ok(Json(SimulationResponse::from(simulation)))
}
