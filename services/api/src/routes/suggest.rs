//! `/v1/search/suggest`: completion of queries.

use axum::Json;
use axum::extract::State;
use domain::search::SearchList;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, Query};
use crate::problem::{ApiResult, Problem};
use crate::shapes::suggest::SuggestResponse;
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(suggest))
}

/// What is to be completed.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct SuggestQuery {
    /// The list, as in its path: `jobs`, `executions`, `dead-letters`, `archive`, `deliveries`, `schedules`.
    list: Option<String>,
    /// The query as it is written so far.
    q: Option<String>,
    /// Where in it, in characters from 0 (default: the end).
    at: Option<u32>,
    /// Maximum number of completions, 1 to 20 (default 10).
    limit: Option<u32>,
}

/// Complete a query
///
/// Keys, words, instants, and values of the last 7 days: workflows, job types, tenants, tags, workers, types of events,
/// fingerprints.
#[utoipa::path(
    get, path = "/v1/search/suggest", tag = "operations", params(SuggestQuery),
    responses((status = 200, description = "What may replace `q[from..to]`.", body = SuggestResponse))
)]
async fn suggest(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<SuggestQuery>,
) -> ApiResult<Json<SuggestResponse>> {
    let list = SearchList::ALL.into_iter().find(|list| Some(list.as_str()) == query.list.as_deref());
    let list = list.ok_or_else(|| {
        let names: Vec<&str> = SearchList::ALL.iter().map(|list| list.as_str()).collect();
        Problem::fault("/list", format!("query parameter: expected one of {}", names.join(", ")))
    })?;
    let q = query.q.unwrap_or_default();
    let at = query.at.map(|at| at as usize);
    let found = state.engine.suggest(&caller, list, &q, at, query.limit.unwrap_or(10)).await?;
    Ok(Json(found.into()))
}
