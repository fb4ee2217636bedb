//! `/v1/me`: who calls, what they may do, and which server this is.

use axum::Json;
use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::response::IntoResponse;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoQuery};
use crate::shapes::me::MeResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(read_me))
}

/// Show the caller, its rights, and the server
///
/// `can` lists the actions that role and scopes allow on at least one object; scopes may restrict each of them to some
/// names.
#[utoipa::path(
    get, path = "/v1/me", tag = "access",
    responses((status = 200, description = "The caller and the server.", body = MeResponse))
)]
async fn read_me(State(state): State<ApiState>, Identity(caller): Identity, _: NoQuery) -> impl IntoResponse {
    ([(CACHE_CONTROL, "no-store")], Json(MeResponse::of(&caller, &state.options.environment)))
}
