//! `/v1/workers`: who takes jobs.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, Query, page_limit};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::operations::WorkerResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_workers))
}

/// How many workers to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct WorkersQuery {
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
}

/// List recently active workers
#[utoipa::path(
    get, path = "/v1/workers", tag = "operations", params(WorkersQuery),
    responses((status = 200, description = "Workers with their number of leased jobs.", body = ListOf<WorkerResponse>))
)]
async fn list_workers(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<WorkersQuery>,
) -> ApiResult<Json<ListOf<WorkerResponse>>> {
    let workers = state.engine.list_workers(&caller, page_limit(query.limit)?).await?;
    Ok(Json(ListOf::whole(workers.into_iter().map(WorkerResponse::from).collect())))
}
