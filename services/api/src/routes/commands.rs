//! `/v1/commands`: what became of a command.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, PathOf};
use crate::problem::ApiResult;
use crate::shapes::operations::CommandResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
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
