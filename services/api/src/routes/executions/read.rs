//! Look at executions.

use axum::Json;
use axum::extract::State;
use domain::id::ExecutionId;
use domain::names::NodeId;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::{
    ExecutionsQuery, Identity, NoQuery, PagesQuery, PathOf, Query, page_limit, position_cursor,
};
use crate::json::RawJson;
use crate::problem::ApiResult;
use crate::routes::wait::ShowQuery;
use crate::shapes::ListOf;
use crate::shapes::executions::{
    ExecutionResponse, ExecutionWhyResponse, NodeResponse, StateResponse, TimelineResponse,
};
use crate::state::ApiState;

/// List executions, newest first
#[utoipa::path(
    get, path = "/v1/executions", tag = "executions", params(ExecutionsQuery),
    responses((status = 200, description = "Executions without input and output.", body = ListOf<ExecutionResponse>))
)]
pub(super) async fn list_executions(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: ExecutionsQuery,
) -> ApiResult<Json<ListOf<ExecutionResponse>>> {
    let executions = state.engine.search_executions(&caller, query.request()).await?;
    let ids = executions.items.iter().map(|execution| execution.id.uuid());
    let shown = state.engine.shown_attributes(&caller, ids.clone()).await?;
    let fingerprints = state.engine.shown_fingerprints(ids).await?;
    let each = |execution| {
        ExecutionResponse::in_list(execution).with_attributes(&shown).with_fingerprint(&fingerprints)
    };
    Ok(Json(query.answer(executions, each)))
}

/// Show an execution
///
/// With `wait`, the response is delayed until the execution ends or the timeout expires.
#[utoipa::path(
    get, path = "/v1/executions/{id}", tag = "executions", params(("id" = String, Path), ShowQuery),
    responses((status = 200, description = "The execution.", body = ExecutionResponse))
)]
pub(super) async fn get_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    Query(query): Query<ShowQuery>,
) -> ApiResult<Json<ExecutionResponse>> {
    let record = match query.begin(&state, &caller)? {
        Some((wait, _seat)) => state.engine.wait_execution(&caller, id, wait).await?,
        None => state.engine.execution(&caller, id).await?,
    };
    let shown = state.engine.shown_attributes(&caller, [record.id.uuid()]).await?;
    let fingerprints = state.engine.shown_fingerprints([record.id.uuid()]).await?;
    let whole = ExecutionResponse::within(record, query.max_payload);
    Ok(Json(whole.with_attributes(&shown).with_fingerprint(&fingerprints)))
}

/// What to tell of nodes.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct NodesQuery {
    /// Whether each `MAP` node is followed by its items, at most 1,000 of them, running and failed
    /// items first.
    #[serde(default)]
    #[param(required = false)]
    items: bool,
    /// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
    /// maximum).
    max_payload: Option<usize>,
}

/// List the nodes of an execution, in definition order
///
/// A compensation that has started is listed after its node, as `charge:compensate`.
#[utoipa::path(
    get, path = "/v1/executions/{id}/nodes", tag = "executions", params(("id" = String, Path), NodesQuery),
    responses((status = 200, description = "All nodes.", body = ListOf<NodeResponse>))
)]
pub(super) async fn list_nodes(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    Query(query): Query<NodesQuery>,
) -> ApiResult<Json<ListOf<NodeResponse>>> {
    let nodes = state.engine.execution_nodes(&caller, id).await?;
    Ok(Json(ListOf::whole(NodeResponse::list(id, nodes, query.items, query.max_payload))))
}

/// Whether large payloads are left out.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct NodeQuery {
    /// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
    /// maximum).
    max_payload: Option<usize>,
}

/// Show a node of an execution
///
/// Items of a `MAP` are addressed as `notify[17]`: items that are listed with their node, and all items that have
/// settled.
#[utoipa::path(
    get, path = "/v1/executions/{id}/nodes/{nodeId}", tag = "executions",
    params(("id" = String, Path), ("nodeId" = String, Path), NodeQuery),
    responses((status = 200, description = "The node.", body = NodeResponse))
)]
pub(super) async fn get_node(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, node)): PathOf<(ExecutionId, String)>,
    Query(query): Query<NodeQuery>,
) -> ApiResult<Json<NodeResponse>> {
    let node = state.engine.execution_node(&caller, id, &node).await?;
    Ok(Json(NodeResponse::within(id, node, query.max_payload)))
}

/// Which part of the items of a `MAP` is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ItemsQuery {
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
    /// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
    /// maximum).
    max_payload: Option<usize>,
}

/// List the settled items of a MAP node, in the order in which they settled
///
/// A page may be short or empty and still have a `nextCursor`, because a call reads a bounded number of results. An
/// item that ran again is listed again; the later entry is the current one. The input of an item that ran as a job is
/// stored with the job. Items in progress are listed with the nodes.
#[utoipa::path(
    get, path = "/v1/executions/{id}/nodes/{nodeId}/items", tag = "executions",
    params(("id" = String, Path), ("nodeId" = String, Path), ItemsQuery),
    responses((status = 200, description = "Items.", body = ListOf<NodeResponse>))
)]
pub(super) async fn list_node_items(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, node)): PathOf<(ExecutionId, NodeId)>,
    Query(query): Query<ItemsQuery>,
) -> ApiResult<Json<ListOf<NodeResponse>>> {
    let limit = page_limit(query.limit)?;
    let after = position_cursor(query.cursor.as_deref())?.unwrap_or(0);
    let (lines, next) = state.engine.execution_items(&caller, id, &node, after, limit).await?;
    let items = lines.into_iter().map(|line| NodeResponse::within(id, line, query.max_payload)).collect();
    Ok(Json(ListOf { next_cursor: next.map(|position| position.to_string()), ..ListOf::whole(items) }))
}

/// Get the input of an execution
#[utoipa::path(
    get, path = "/v1/executions/{id}/input", tag = "executions", params(("id" = String, Path)),
    responses((status = 200, description = "The input.", body = RawJson))
)]
pub(super) async fn get_execution_input(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(Some(state.engine.execution(&caller, id).await?.input))))
}

/// Get the output of an execution
///
/// `null` until it completes.
#[utoipa::path(
    get, path = "/v1/executions/{id}/output", tag = "executions", params(("id" = String, Path)),
    responses((status = 200, description = "The output.", body = RawJson))
)]
pub(super) async fn get_execution_output(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(state.engine.execution(&caller, id).await?.output)))
}

/// Get the input of a node
///
/// Items of a `MAP` are addressed as `notify[17]`: items that are listed with their node, and all items that have
/// settled.
#[utoipa::path(
    get, path = "/v1/executions/{id}/nodes/{nodeId}/input", tag = "executions", params(("id" = String, Path), ("nodeId" = String, Path)),
    responses((status = 200, description = "The input.", body = RawJson))
)]
pub(super) async fn get_node_input(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, node)): PathOf<(ExecutionId, String)>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(state.engine.execution_node(&caller, id, &node).await?.input)))
}

/// Get the output of a node
///
/// Items of a `MAP` are addressed as `notify[17]`: items that are listed with their node, and all items that have
/// settled.
#[utoipa::path(
    get, path = "/v1/executions/{id}/nodes/{nodeId}/output", tag = "executions", params(("id" = String, Path), ("nodeId" = String, Path)),
    responses((status = 200, description = "The output.", body = RawJson))
)]
pub(super) async fn get_node_output(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf((id, node)): PathOf<(ExecutionId, String)>,
    _: NoQuery,
) -> ApiResult<Json<RawJson>> {
    Ok(Json(RawJson::payload_or_null(state.engine.execution_node(&caller, id, &node).await?.output)))
}

/// List the states of a finished execution, oldest first
///
/// Returns one state for each timeline entry: the status of the execution and its nodes after that entry. Parked
/// executions are shown as RUNNING. Covers the first 50,000 entries. Requires a key that shows payloads.
#[utoipa::path(
    get, path = "/v1/executions/{id}/states", tag = "executions", params(("id" = String, Path), PagesQuery),
    responses((status = 200, description = "States.", body = ListOf<StateResponse>))
)]
pub(super) async fn list_states(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<StateResponse>>> {
    let limit = page_limit(query.limit)?;
    let after = position_cursor(query.cursor.as_deref())?.unwrap_or(0);
    let (states, next) = state.engine.execution_states(&caller, id, after, limit).await?;
    let items = states.into_iter().map(StateResponse::from).collect();
    Ok(Json(ListOf { next_cursor: next.map(|position| position.to_string()), ..ListOf::whole(items) }))
}

/// Explain what an execution is waiting for
#[utoipa::path(
    get, path = "/v1/executions/{id}/why", tag = "executions", params(("id" = String, Path)),
    responses((status = 200, description = "What the execution waits for.", body = ExecutionWhyResponse))
)]
pub(super) async fn why_execution(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
) -> ApiResult<Json<ExecutionWhyResponse>> {
    Ok(Json(state.engine.why_execution(&caller, id).await?.into()))
}

/// Show the timeline of an execution, oldest first
#[utoipa::path(
    get, path = "/v1/executions/{id}/events", tag = "executions", params(("id" = String, Path), PagesQuery),
    responses((status = 200, description = "Timeline entries.", body = ListOf<TimelineResponse>))
)]
pub(super) async fn list_timeline(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ExecutionId>,
    Query(query): Query<PagesQuery>,
) -> ApiResult<Json<ListOf<TimelineResponse>>> {
    let limit = page_limit(query.limit)?;
    let after = position_cursor(query.cursor.as_deref())?.unwrap_or(0);
    let events = state.engine.execution_events(&caller, id, after, limit + 1).await?;
    Ok(Json(ListOf::cut(events, limit, |event| event.position.to_string(), TimelineResponse::from)))
}
