//! `/v1/views`: saved views of lists, and completion of what is searched for.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::{ViewId, ViewKind};
use domain::search::SearchList;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, JsonBody, NoBody, PathOf, Query, page};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::views::{SuggestResponse, ViewBody, ViewResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list_views, add_view)).routes(routes!(
        get_view,
        change_view,
        delete_view
    ))
}

/// Which views to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ViewsQuery {
    /// Only views of this list, such as `jobs`.
    list: Option<String>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// List saved views, newest first
///
/// Returns the caller's own views and the views that others share.
#[utoipa::path(
    get, path = "/v1/views", tag = "operations", params(ViewsQuery),
    responses((status = 200, description = "Views.", body = ListOf<ViewResponse>))
)]
async fn list_views(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<ViewsQuery>,
) -> ApiResult<Json<ListOf<ViewResponse>>> {
    let page = page::<ViewKind>(query.limit, query.cursor.as_deref())?;
    let views = state.engine.list_views(&caller, query.list.as_deref(), page).await?;
    Ok(Json(ListOf::of_page::<ViewKind, _>(views, |view| ViewResponse::new(&caller, view))))
}

/// Save a view
///
/// At most 100 views per API key or person.
#[utoipa::path(
    post, path = "/v1/views", tag = "operations", request_body = ViewBody,
    responses((status = 201, description = "The view.", body = ViewResponse))
)]
async fn add_view(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    JsonBody(body): JsonBody<ViewBody>,
) -> ApiResult<(StatusCode, Json<ViewResponse>)> {
    let view = state.engine.add_view(&caller, body.into_spec()?).await?;
    Ok((StatusCode::CREATED, Json(ViewResponse::new(&caller, view))))
}

/// Show a saved view
#[utoipa::path(
    get, path = "/v1/views/{id}", tag = "operations", params(("id" = String, Path)),
    responses((status = 200, description = "The view.", body = ViewResponse))
)]
async fn get_view(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ViewId>,
) -> ApiResult<Json<ViewResponse>> {
    let view = state.engine.saved_view(&caller, id).await?;
    Ok(Json(ViewResponse::new(&caller, view)))
}

/// Change a saved view
///
/// Operators can also change views that others share.
#[utoipa::path(
    put, path = "/v1/views/{id}", tag = "operations", params(("id" = String, Path)), request_body = ViewBody,
    responses((status = 200, description = "The view.", body = ViewResponse))
)]
async fn change_view(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ViewId>,
    JsonBody(body): JsonBody<ViewBody>,
) -> ApiResult<Json<ViewResponse>> {
    let view = state.engine.change_view(&caller, id, body.into_spec()?).await?;
    Ok(Json(ViewResponse::new(&caller, view)))
}

/// Delete a saved view
#[utoipa::path(
    delete, path = "/v1/views/{id}", tag = "operations", params(("id" = String, Path)),
    responses((status = 204, description = "Deleted."))
)]
async fn delete_view(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<ViewId>,
    _: NoBody,
) -> ApiResult<StatusCode> {
    state.engine.delete_view(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

// `/v1/search/suggest`: completion of queries.

/// The routes.
pub(super) fn suggest_router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(suggest))
}

/// What is to be completed.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct SuggestQuery {
    /// The list, as in its path: `jobs`, `executions`, `dead-letters`, `archive`, `deliveries`, `schedules`.
    list: Option<String>,
    /// The query as typed so far.
    q: Option<String>,
    /// Position of the text cursor in the query, in characters from 0 (default: the end).
    at: Option<u32>,
    /// Maximum number of completions, 1 to 20 (default 10).
    limit: Option<u32>,
}

/// Complete a query
///
/// Suggests keys, keywords, instants, and values of the last 7 days: workflows, job types, tenants, tags, workers,
/// event types, fingerprints.
#[utoipa::path(
    get, path = "/v1/search/suggest", tag = "operations", params(SuggestQuery),
    responses((status = 200, description = "Completions that can replace `q[from..to]`.", body = SuggestResponse))
)]
async fn suggest(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<SuggestQuery>,
) -> ApiResult<Json<SuggestResponse>> {
    let list = query.list.as_deref().and_then(SearchList::parse);
    let list = list.ok_or_else(|| {
        let names: Vec<&str> = SearchList::ALL.iter().map(|list| list.as_str()).collect();
        Problem::fault("/list", format!("query parameter: expected one of {}", names.join(", ")))
    })?;
    let q = query.q.unwrap_or_default();
    let at = query.at.map(|at| at as usize);
    let found = state.engine.suggest(&caller, list, &q, at, query.limit.unwrap_or(10)).await?;
    Ok(Json(found.into()))
}
