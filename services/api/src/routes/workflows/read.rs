//! Look at workflows and their versions.

use std::sync::LazyLock;

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::names::{TenantName, WorkflowName};
use domain::workflow::graph_text::mermaid;
use domain::workflow::schema::json_schema;
use engine::Caller;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use store::workflows::WorkflowVersion;
use utoipa::IntoParams;

use crate::extract::{Identity, JsonBody, NoQuery, PathOf, Query, name_cursor, page_limit, position_cursor};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::workflows::{SourceBody, WorkflowResponse};
use crate::state::ApiState;

/// Which part of a list of workflows or versions, and for whom.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
    /// Shows what this tenant sees: its own workflows and the shared ones; for keys that are not bound to a tenant.
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

/// List the latest version of each workflow, by name
#[utoipa::path(
    get, path = "/v1/workflows", tag = "workflows", params(ListQuery),
    responses((status = 200, description = "Workflows without their definitions.", body = ListOf<WorkflowResponse>))
)]
pub(super) async fn list_workflows(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<ListQuery>,
) -> ApiResult<Json<ListOf<WorkflowResponse>>> {
    let (limit, after) = (page_limit(query.limit)?, name_cursor(query.cursor)?);
    let caller = caller.within(query.tenant)?;
    let rows = state.engine.list_workflows(&caller, after.as_deref(), limit + 1).await?;
    Ok(Json(ListOf::cut(rows, limit, |row| row.workflow.name.to_string(), WorkflowResponse::in_list)))
}

/// Whose workflow.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TenantQuery {
    /// Resolves the name for this tenant; for keys that are not bound to a tenant.
    #[param(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

impl TenantQuery {
    /// The tenant; what another tenant has is not there for a bound key.
    pub(super) fn visible_to(self, caller: &Caller, name: &WorkflowName) -> ApiResult<Option<TenantName>> {
        match self.tenant {
            Some(tenant) if !caller.scope.allows(&tenant) => {
                Err(Problem::not_found("workflow", name.as_str()))
            }
            tenant => Ok(tenant),
        }
    }
}

/// Show the latest version of a workflow
#[utoipa::path(
    get, path = "/v1/workflows/{name}", tag = "workflows", params(("name" = String, Path), TenantQuery),
    responses((status = 200, description = "The version.", body = WorkflowResponse))
)]
pub(super) async fn get_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<WorkflowResponse>> {
    let tenant = query.visible_to(&caller, &name)?;
    whole(&state, &caller, state.engine.workflow(&caller, &name, None, tenant).await?).await
}

/// List the versions of a workflow, newest first
#[utoipa::path(
    get, path = "/v1/workflows/{name}/versions", tag = "workflows", params(("name" = String, Path), ListQuery),
    responses((status = 200, description = "Versions without their definitions.", body = ListOf<WorkflowResponse>))
)]
pub(super) async fn list_versions(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<ListQuery>,
) -> ApiResult<Json<ListOf<WorkflowResponse>>> {
    let (limit, below) = (page_limit(query.limit)?, position_cursor(query.cursor.as_deref())?);
    let tenant = TenantQuery { tenant: query.tenant }.visible_to(&caller, &name)?;
    let caller = caller.within(tenant)?;
    let rows = state.engine.workflow_versions(&caller, &name, below, limit + 1).await?;
    Ok(Json(ListOf::cut(rows, limit, |row| row.version.to_string(), WorkflowResponse::in_list)))
}

/// Show a version of a workflow
#[utoipa::path(
    get, path = "/v1/workflows/{name}/versions/{version}", tag = "workflows",
    params(("name" = String, Path), ("version" = u32, Path), TenantQuery),
    responses((status = 200, description = "The version.", body = WorkflowResponse))
)]
pub(super) async fn get_version(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((name, version)): PathOf<(WorkflowName, u32)>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<Json<WorkflowResponse>> {
    let tenant = query.visible_to(&caller, &name)?;
    whole(&state, &caller, state.engine.workflow(&caller, &name, Some(version), tenant).await?).await
}

/// A version with its definition and source places.
async fn whole(
    state: &ApiState,
    caller: &Caller,
    version: WorkflowVersion,
) -> ApiResult<Json<WorkflowResponse>> {
    let source = state.engine.workflow_source(caller, &version).await?;
    Ok(Json(WorkflowResponse::whole(version).with_source(source)))
}

// Workflows as pictures.

/// Get the latest version of a workflow as a flowchart
#[utoipa::path(
    get, path = "/v1/workflows/{name}/graph", tag = "workflows", params(("name" = String, Path), TenantQuery),
    responses((status = 200, description = "A Mermaid flowchart.", body = String, content_type = "text/plain"))
)]
pub(super) async fn get_graph(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(name): PathOf<WorkflowName>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<impl IntoResponse> {
    let tenant = query.visible_to(&caller, &name)?;
    let version = state.engine.workflow(&caller, &name, None, tenant).await?;
    drawn(&state, &caller, &version).await
}

/// Get a version of a workflow as a flowchart
#[utoipa::path(
    get, path = "/v1/workflows/{name}/versions/{version}/graph", tag = "workflows",
    params(("name" = String, Path), ("version" = u32, Path), TenantQuery),
    responses((status = 200, description = "A Mermaid flowchart.", body = String, content_type = "text/plain"))
)]
pub(super) async fn get_version_graph(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((name, version)): PathOf<(WorkflowName, u32)>,
    Query(query): Query<TenantQuery>,
) -> ApiResult<impl IntoResponse> {
    let tenant = query.visible_to(&caller, &name)?;
    let version = state.engine.workflow(&caller, &name, Some(version), tenant).await?;
    drawn(&state, &caller, &version).await
}

async fn drawn(
    state: &ApiState,
    caller: &Caller,
    version: &WorkflowVersion,
) -> ApiResult<impl IntoResponse + use<>> {
    let definition = state.engine.parsed_workflow(caller, version).await?;
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], mermaid(&definition)))
}

// The JSON Schema of definitions: for programs beside the workflows, and for editors at an address that needs no key.

/// How long an editor may go without asking again. The schema only changes with the server.
const CACHE: &str = "public, max-age=3600";

struct Published {
    text: String,
    etag: String,
}

static SCHEMA: LazyLock<Published> = LazyLock::new(|| {
    let text = format!("{:#}", json_schema());
    let etag = format!("\"{}\"", hex::encode(&Sha256::digest(text.as_bytes())[..16]));
    Published { text, etag }
});

/// Show the JSON Schema of workflow definitions
///
/// A workflow with the name `schema` is available through its versions.
#[utoipa::path(
    get, path = "/v1/workflows/schema", tag = "workflows",
    responses(
        (status = 200, description = "The schema (draft 2020-12).", body = serde_json::Value,
         content_type = "application/schema+json"),
        (status = 304, description = "Not modified."),
    )
)]
pub(super) async fn get_schema(headers: HeaderMap) -> Response {
    published(&headers)
}

/// Get the public JSON Schema of workflow definitions
///
/// For `$schema` in a definition file in an editor; requires no API key.
#[utoipa::path(
    get, path = "/schemas/workflow.json", tag = "workflows",
    responses(
        (status = 200, description = "The schema (draft 2020-12).", body = serde_json::Value,
         content_type = "application/schema+json"),
        (status = 304, description = "Not modified."),
    )
)]
pub(super) async fn get_published_schema(headers: HeaderMap) -> Response {
    published(&headers)
}

fn published(headers: &HeaderMap) -> Response {
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let caching = [(ETAG, SCHEMA.etag.as_str()), (CACHE_CONTROL, CACHE)];
    // An answer that was compressed on its way comes back with a weak tag.
    if known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == SCHEMA.etag) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    (caching, [(CONTENT_TYPE, "application/schema+json")], SCHEMA.text.as_str()).into_response()
}

// Source places of versions.

/// Set the source places of a version
///
/// A source place is the file and line of a node in the program that the version was compiled from. Source places are
/// not part of the definition or its content hash, and can be set again.
#[utoipa::path(
    put, path = "/v1/workflows/{name}/versions/{version}/source", tag = "workflows",
    params(("name" = String, Path), ("version" = u32, Path)), request_body = SourceBody,
    responses((status = 204, description = "Stored."))
)]
pub(super) async fn put_source(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((name, version)): PathOf<(WorkflowName, u32)>,
    _: NoQuery,
    JsonBody(body): JsonBody<SourceBody>,
) -> ApiResult<StatusCode> {
    state.engine.set_workflow_source(&caller, &name, version, &body.into_places()?).await?;
    Ok(StatusCode::NO_CONTENT)
}
