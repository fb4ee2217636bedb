//! `/v1/doctor`: what a person would check first.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoQuery};
use crate::problem::ApiResult;
use crate::shapes::doctor::DoctorResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(examine))
}

/// Check the deployment
///
/// Schema, pooler, old snapshots, dead rows, clocks, leases, parked executions, disk, certificates, keys and dispatch; each
/// warning and failure says how to fix it. Requires role `admin` and a key that is not bound to a tenant.
#[utoipa::path(
    get, path = "/v1/doctor", tag = "operations",
    responses((status = 200, description = "Checks.", body = DoctorResponse))
)]
async fn examine(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoQuery,
) -> ApiResult<Json<DoctorResponse>> {
    Ok(Json(state.engine.doctor(&caller).await?.into()))
}
