//! `/v1/dispatch`: how jobs get to outside workers, and what is on its way.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoQuery};
use crate::problem::ApiResult;
use crate::shapes::dispatch::DispatchResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(get_dispatch))
}

/// Get the state of dispatch
///
/// Returns the mode, the nodes with their relays, the shards with their owners and terms, the open offers, and the jobs
/// that wait for an offer. The figures of a relay are updated when it renews its term, every few seconds. Requires a
/// key that is not bound to a tenant.
#[utoipa::path(
    get, path = "/v1/dispatch", tag = "operations",
    responses((status = 200, description = "State of dispatch.", body = DispatchResponse))
)]
async fn get_dispatch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<DispatchResponse>> {
    Ok(Json(state.engine.dispatch(&caller).await?.into()))
}
