//! `/v1/workers`: who takes jobs.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::names::{TenantName, WorkerId};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoBody, PathOf, Query, WorkersQuery};
use crate::problem::ApiResult;
use crate::shapes::ListOf;
use crate::shapes::operations::WorkerResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_workers)).routes(routes!(drain_worker))
}

/// List workers, the latest seen first
///
/// Without a range of `lastSeen` or `firstSeen` those of the last ten minutes.
#[utoipa::path(
    get, path = "/v1/workers", tag = "operations", params(WorkersQuery),
    responses((status = 200, description = "Workers with their number of leased jobs.", body = ListOf<WorkerResponse>))
)]
async fn list_workers(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: WorkersQuery,
) -> ApiResult<Json<ListOf<WorkerResponse>>> {
    let workers = state.engine.search_workers(&caller, query.request()).await?;
    Ok(Json(query.answer(workers, WorkerResponse::from)))
}

/// Whose worker is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct DrainQuery {
    /// Tenant that its key is bound to.
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

/// Drain a worker
///
/// Its polls get no more jobs and are answered with `drain`, its stream ends, until it is gone. Jobs that it has are not touched.
/// Another worker that shows itself under the same ID after a minute of silence is not drained.
#[utoipa::path(
    post, path = "/v1/workers/{id}/drain", tag = "operations", params(("id" = String, Path), DrainQuery),
    responses((status = 204, description = "The worker is being drained."))
)]
async fn drain_worker(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<WorkerId>,
    Query(query): Query<DrainQuery>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.drain_worker(&caller, &id, query.tenant).await?;
    Ok(StatusCode::NO_CONTENT)
}
