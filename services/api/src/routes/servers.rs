//! `/v1/servers`: the processes of the deployment.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoQuery};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::servers::ServerResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_servers))
}

/// List the processes of the deployment
///
/// Those that showed themselves within a minute, in the order of their starts. Requires a key that is not bound to a tenant.
#[utoipa::path(
    get, path = "/v1/servers", tag = "operations",
    responses((status = 200, description = "Processes with their roles and clocks.", body = ListOf<ServerResponse>))
)]
async fn list_servers(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<ListOf<ServerResponse>>> {
    let servers = state.engine.list_servers(&caller).await?;
    Ok(Json(ListOf::whole(servers.into_iter().map(ServerResponse::from).collect())))
}
