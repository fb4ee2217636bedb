//! Searchable attributes of tenants, workflows and job types.

use axum::Json;
use axum::extract::State;
use domain::names::{JobType, TenantName, WorkflowName};
use engine::{AttributeTarget, Caller};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, PathOf, Query, TenantQuery};
use crate::problem::ApiResult;
use crate::shapes::attributes::{
    AttributeBody, AttributeResponse, AttributesBody, AttributesResponse, changes, declared,
};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(get_tenant_attributes, set_tenant_attributes))
        .routes(routes!(get_workflow_attributes, set_workflow_attributes))
        .routes(routes!(get_job_type_attributes, set_job_type_attributes))
}

/// Show the searchable attributes of a tenant
#[utoipa::path(
    get, path = "/v1/tenants/{tenant}/attributes", tag = "operations", params(("tenant" = String, Path)),
    responses((status = 200, description = "The attributes of all its jobs and executions, by name.", body = BTreeMap<String, AttributeResponse>))
)]
async fn get_tenant_attributes(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
) -> ApiResult<Json<AttributesResponse>> {
    show(&state, &caller, &AttributeTarget::Tenant(tenant)).await
}

/// Declare searchable attributes of a tenant
///
/// Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs and executions
/// created from now on.
#[utoipa::path(
    put, path = "/v1/tenants/{tenant}/attributes", tag = "operations", params(("tenant" = String, Path)),
    request_body = BTreeMap<String, AttributeBody>,
    responses((status = 200, description = "The attributes of all its jobs and executions, by name.", body = BTreeMap<String, AttributeResponse>))
)]
async fn set_tenant_attributes(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(tenant): PathOf<TenantName>,
    JsonBody(body): JsonBody<AttributesBody>,
) -> ApiResult<Json<AttributesResponse>> {
    declare(&state, &caller, &AttributeTarget::Tenant(tenant), body).await
}

/// Show the searchable attributes of a workflow
#[utoipa::path(
    get, path = "/v1/workflows/{name}/attributes", tag = "operations", params(("name" = String, Path), TenantQuery),
    responses((status = 200, description = "The attributes of its executions and their jobs, by name.", body = BTreeMap<String, AttributeResponse>))
)]
async fn get_workflow_attributes(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<AttributesResponse>> {
    show(&state, &caller, &AttributeTarget::Workflow(name, query.tenant)).await
}

/// Declare searchable attributes of a workflow
///
/// Attributes that are absent from the request are kept; null removes an attribute. Applies to executions created from
/// now on and to their jobs.
#[utoipa::path(
    put, path = "/v1/workflows/{name}/attributes", tag = "operations", params(("name" = String, Path), TenantQuery),
    request_body = BTreeMap<String, AttributeBody>,
    responses((status = 200, description = "The attributes of its executions and their jobs, by name.", body = BTreeMap<String, AttributeResponse>))
)]
async fn set_workflow_attributes(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
    JsonBody(body): JsonBody<AttributesBody>,
) -> ApiResult<Json<AttributesResponse>> {
    declare(&state, &caller, &AttributeTarget::Workflow(name, query.tenant), body).await
}

/// Show the searchable attributes of a job type
#[utoipa::path(
    get, path = "/v1/job-types/{jobType}/attributes", tag = "operations", params(("jobType" = String, Path), TenantQuery),
    responses((status = 200, description = "The attributes of its jobs, by name.", body = BTreeMap<String, AttributeResponse>))
)]
async fn get_job_type_attributes(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(job_type): PathOf<JobType>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<AttributesResponse>> {
    show(&state, &caller, &AttributeTarget::JobType(job_type, query.tenant)).await
}

/// Declare searchable attributes of a job type
///
/// Attributes that are absent from the request are kept; null removes an attribute. Applies to jobs created from now
/// on.
#[utoipa::path(
    put, path = "/v1/job-types/{jobType}/attributes", tag = "operations", params(("jobType" = String, Path), TenantQuery),
    request_body = BTreeMap<String, AttributeBody>,
    responses((status = 200, description = "The attributes of its jobs, by name.", body = BTreeMap<String, AttributeResponse>))
)]
async fn set_job_type_attributes(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(job_type): PathOf<JobType>,
    Query(query): Query<TenantQuery>,
    JsonBody(body): JsonBody<AttributesBody>,
) -> ApiResult<Json<AttributesResponse>> {
    declare(&state, &caller, &AttributeTarget::JobType(job_type, query.tenant), body).await
}

async fn show(
    state: &ApiState,
    caller: &Caller,
    target: &AttributeTarget,
) -> ApiResult<Json<AttributesResponse>> {
    Ok(Json(declared(state.engine.declared_attributes(caller, target).await?)))
}

async fn declare(
    state: &ApiState,
    caller: &Caller,
    target: &AttributeTarget,
    body: AttributesBody,
) -> ApiResult<Json<AttributesResponse>> {
    let changes = changes(body)?;
    Ok(Json(declared(state.engine.declare_attributes(caller, target, &changes).await?)))
}
