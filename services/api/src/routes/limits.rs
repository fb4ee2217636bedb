//! Limits: those of the queues, of a tenant, of a workflow, of a job type.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::names::{JobType, TenantName, WorkflowName};
use engine::{Caller, LimitTarget};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, PathOf, Query, TenantQuery};
use crate::problem::ApiResult;
use crate::shapes::limits::{
    LimitChangesBody, LimitsBody, LimitsResponse, QueueLimitsResponse, add_own, edits, in_force,
};
use crate::shapes::rates::{KeyRateBody, KeyRateResponse, KeyRatesResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(get_limits, set_limits))
        .routes(routes!(get_tenant_limits, set_tenant_limits))
        .routes(routes!(get_workflow_limits, set_workflow_limits))
        .routes(routes!(get_job_type_limits, set_job_type_limits))
}

/// Show the limits of the queues
///
/// Includes the values set for individual tenants, workflows and job types.
#[utoipa::path(
    get, path = "/v1/limits", tag = "limits",
    responses((status = 200, description = "The effective limits, by queue.", body = BTreeMap<String, QueueLimitsResponse>))
)]
async fn get_limits(
    State(state): State<ApiState>,
    Identity(caller): Identity,
) -> ApiResult<Json<LimitsResponse>> {
    let Json(mut limits) = show(&state, &caller, LimitTarget::Queue).await?;
    add_own(&mut limits, state.engine.own_limits(&caller).await?);
    Ok(Json(limits))
}

/// Change the limits of the queues
///
/// The limits apply to every claim that starts after the response.
#[utoipa::path(
    put, path = "/v1/limits", tag = "limits", request_body = BTreeMap<String, LimitChangesBody>,
    responses((status = 200, description = "The effective limits, by queue.", body = BTreeMap<String, QueueLimitsResponse>))
)]
async fn set_limits(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<LimitsBody>,
) -> ApiResult<Json<LimitsResponse>> {
    change(&state, &caller, LimitTarget::Queue, body).await
}

/// Show the limits of a tenant
#[utoipa::path(
    get, path = "/v1/tenants/{tenant}/limits", tag = "limits", params(("tenant" = String, Path)),
    responses((status = 200, description = "The effective limits, by queue.", body = BTreeMap<String, QueueLimitsResponse>))
)]
async fn get_tenant_limits(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
) -> ApiResult<Json<LimitsResponse>> {
    show(&state, &caller, LimitTarget::Tenant(tenant)).await
}

/// Change the limits of a tenant
#[utoipa::path(
    put, path = "/v1/tenants/{tenant}/limits", tag = "limits", params(("tenant" = String, Path)),
    request_body = BTreeMap<String, LimitChangesBody>,
    responses((status = 200, description = "The effective limits, by queue.", body = BTreeMap<String, QueueLimitsResponse>))
)]
async fn set_tenant_limits(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    JsonBody(body): JsonBody<LimitsBody>,
) -> ApiResult<Json<LimitsResponse>> {
    change(&state, &caller, LimitTarget::Tenant(tenant), body).await
}

/// Show the limits of a workflow
#[utoipa::path(
    get, path = "/v1/workflows/{name}/limits", tag = "limits", params(("name" = String, Path), TenantQuery),
    responses((status = 200, description = "The effective limits, by queue.", body = BTreeMap<String, QueueLimitsResponse>))
)]
async fn get_workflow_limits(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<LimitsResponse>> {
    show(&state, &caller.within(query.tenant)?, LimitTarget::Workflow(name)).await
}

/// Change the limits of a workflow
#[utoipa::path(
    put, path = "/v1/workflows/{name}/limits", tag = "limits", params(("name" = String, Path), TenantQuery),
    request_body = BTreeMap<String, LimitChangesBody>,
    responses((status = 200, description = "The effective limits, by queue.", body = BTreeMap<String, QueueLimitsResponse>))
)]
async fn set_workflow_limits(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
    JsonBody(body): JsonBody<LimitsBody>,
) -> ApiResult<Json<LimitsResponse>> {
    change(&state, &caller.within(query.tenant)?, LimitTarget::Workflow(name), body).await
}

/// Show the limits of a job type
///
/// With `tenant`, the limits of the tenant's jobs of this type; otherwise the limits across all tenants.
#[utoipa::path(
    get, path = "/v1/job-types/{jobType}/limits", tag = "limits", params(("jobType" = String, Path), JobTypeQuery),
    responses((status = 200, description = "The effective limits, by queue.", body = BTreeMap<String, QueueLimitsResponse>))
)]
async fn get_job_type_limits(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(job_type): PathOf<JobType>,
    Query(query): Query<JobTypeQuery>,
) -> ApiResult<Json<LimitsResponse>> {
    show(&state, &caller, of_job_type(job_type, query)).await
}

/// Change the limits of a job type
///
/// With `tenant`, the limits apply to the tenant's jobs of this type; otherwise across all tenants. If both are set,
/// both apply. Job types have limits on `workflow-node` only.
#[utoipa::path(
    put, path = "/v1/job-types/{jobType}/limits", tag = "limits", params(("jobType" = String, Path), JobTypeQuery),
    request_body = BTreeMap<String, LimitChangesBody>,
    responses((status = 200, description = "The effective limits, by queue.", body = BTreeMap<String, QueueLimitsResponse>))
)]
async fn set_job_type_limits(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(job_type): PathOf<JobType>,
    Query(query): Query<JobTypeQuery>,
    JsonBody(body): JsonBody<LimitsBody>,
) -> ApiResult<Json<LimitsResponse>> {
    change(&state, &caller, of_job_type(job_type, query), body).await
}

/// Whose jobs of a type are meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct JobTypeQuery {
    /// Tenant whose jobs the limits apply to (default: all tenants together).
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

fn of_job_type(job_type: JobType, query: JobTypeQuery) -> LimitTarget {
    match query.tenant {
        Some(tenant) => LimitTarget::TenantJobType(tenant, job_type),
        None => LimitTarget::JobType(job_type),
    }
}

async fn show(state: &ApiState, caller: &Caller, target: LimitTarget) -> ApiResult<Json<LimitsResponse>> {
    Ok(Json(in_force(state.engine.limits(caller, target).await?)))
}

async fn change(
    state: &ApiState,
    caller: &Caller,
    target: LimitTarget,
    body: LimitsBody,
) -> ApiResult<Json<LimitsResponse>> {
    let edits = edits(body, &target)?;
    Ok(Json(in_force(state.engine.set_limits(caller, target, edits).await?)))
}

// `/v1/rates`: rates of keys that enqueues and nodes name.

/// The routes.
pub(super) fn rates_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_rates)).routes(routes!(set_rate, delete_rate))
}

/// List the rates of rate keys
#[utoipa::path(
    get, path = "/v1/rates", tag = "limits", params(TenantQuery),
    responses((status = 200, description = "The rates.", body = KeyRatesResponse))
)]
async fn list_rates(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<KeyRatesResponse>> {
    let rates = state.engine.key_rates(&caller, query.tenant).await?;
    Ok(Json(KeyRatesResponse { items: rates.into_iter().map(KeyRateResponse::from).collect() }))
}

/// Set the rate of a rate key
///
/// From the next claim on, the rate applies to starts of jobs with this `rateKey`. A key that ends in `*` is a prefix:
/// the rate applies to each matching key separately, and the longest match wins.
#[utoipa::path(
    put, path = "/v1/rates/{key}", tag = "limits", params(("key" = String, Path), TenantQuery),
    request_body = KeyRateBody, responses((status = 200, description = "The rate.", body = KeyRateResponse))
)]
async fn set_rate(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(key): PathOf<String>,
    Query(query): Query<TenantQuery>,
    JsonBody(body): JsonBody<KeyRateBody>,
) -> ApiResult<Json<KeyRateResponse>> {
    let request = body.into_request(key, query.tenant)?;
    Ok(Json(state.engine.set_key_rate(&caller, request).await?.into()))
}

/// Delete the rate of a rate key
///
/// From the next claim on, it no longer limits jobs with this `rateKey`.
#[utoipa::path(
    delete, path = "/v1/rates/{key}", tag = "limits", params(("key" = String, Path), TenantQuery),
    responses((status = 204, description = "Deleted."))
)]
async fn delete_rate(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(key): PathOf<String>,
    Query(query): Query<TenantQuery>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_key_rate(&caller, query.tenant, &key).await?;
    Ok(StatusCode::NO_CONTENT)
}
