//! `/v1/moves`: moving the store to another database while the server goes on.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, NoQuery};
use crate::problem::ApiResult;
use crate::shapes::moves::{MoveBody, MoveResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(start_move)).routes(routes!(last_move)).routes(routes!(abort_move))
}

/// Move the store to another database
///
/// Copies the SQLite database of the server to an empty PostgreSQL database and continues on it. The server accepts and
/// runs work during the copy, and pauses only while the last changes are copied; calls then get 503 with `Retry-After`.
/// Until then the old database is in use; afterwards it is read-only. Requires a key that is not bound to a tenant.
/// Servers on PostgreSQL return 409 `move_unsupported`.
#[utoipa::path(
    post, path = "/v1/moves", tag = "operations", request_body = MoveBody,
    responses((status = 202, description = "The move has started.", body = MoveResponse))
)]
async fn start_move(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<MoveBody>,
) -> ApiResult<(StatusCode, Json<MoveResponse>)> {
    let view = state.engine.start_move(&caller, body.into_request()).await?;
    Ok((StatusCode::ACCEPTED, Json(view.into())))
}

/// Get the last move
///
/// Returns the move that was last requested from this process, finished or not. Requires a key that is not bound to a
/// tenant.
#[utoipa::path(
    get, path = "/v1/moves/last", tag = "operations",
    responses((status = 200, description = "The move and its progress.", body = MoveResponse))
)]
async fn last_move(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<MoveResponse>> {
    Ok(Json(state.engine.last_move(&caller)?.into()))
}

/// Abort the move
///
/// The server keeps its database, and the target can be used for another move. Errors: 409 `move_finishing` while the
/// last changes are copied, 409 `move_not_running` if no move is in progress. Requires a key that is not bound to a
/// tenant.
#[utoipa::path(
    post, path = "/v1/moves/last/abort", tag = "operations",
    responses((status = 202, description = "The move is being aborted.", body = MoveResponse))
)]
async fn abort_move(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoBody,
) -> ApiResult<(StatusCode, Json<MoveResponse>)> {
    Ok((StatusCode::ACCEPTED, Json(state.engine.abort_move(&caller).await?.into())))
}
