//! `/v1/builds` and `/v1/job-types/{jobType}/builds`: which builds of workers take the jobs of a type.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::names::{JobType, TenantName};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, PathOf, Query};
use crate::problem::ApiResult;
use crate::shapes::builds::{BuildPinBody, BuildPinResponse, BuildPinsResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_build_pins)).routes(routes!(pin_builds, unpin_builds))
}

/// Whose jobs are meant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct PinQuery {
    /// Tenant (default: the key's tenant, or all tenants).
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

/// List job types that are pinned to builds
#[utoipa::path(
    get, path = "/v1/builds", tag = "operations", params(PinQuery),
    responses((status = 200, description = "The pins.", body = BuildPinsResponse))
)]
async fn list_build_pins(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<PinQuery>,
) -> ApiResult<Json<BuildPinsResponse>> {
    let pins = state.engine.build_pins(&caller, query.tenant).await?;
    Ok(Json(BuildPinsResponse { items: pins.into_iter().map(BuildPinResponse::from).collect() }))
}

/// Pin a job type to builds
///
/// From the next claim on, only workers that poll with one of these builds receive its jobs. While there is no such
/// worker, the jobs wait; leased jobs are not affected. A tenant's own pin takes precedence over the pin for all
/// tenants.
#[utoipa::path(
    put, path = "/v1/job-types/{jobType}/builds", tag = "operations",
    params(("jobType" = String, Path), PinQuery),
    request_body = BuildPinBody, responses((status = 200, description = "The pin.", body = BuildPinResponse))
)]
async fn pin_builds(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(job_type): PathOf<JobType>,
    Query(query): Query<PinQuery>,
    JsonBody(body): JsonBody<BuildPinBody>,
) -> ApiResult<Json<BuildPinResponse>> {
    let builds = body.into_builds()?;
    Ok(Json(state.engine.pin_builds(&caller, query.tenant, job_type, builds).await?.into()))
}

/// Unpin a job type
///
/// From the next claim on, any worker that polls for the job type receives its jobs.
#[utoipa::path(
    delete, path = "/v1/job-types/{jobType}/builds", tag = "operations",
    params(("jobType" = String, Path), PinQuery),
    responses((status = 204, description = "Unpinned."))
)]
async fn unpin_builds(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(job_type): PathOf<JobType>,
    Query(query): Query<PinQuery>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.unpin_builds(&caller, query.tenant, &job_type).await?;
    Ok(StatusCode::NO_CONTENT)
}
