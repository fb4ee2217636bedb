//! `/v1/batches`: the progress of bulk operations, what they changed, and how to stop them.

use axum::Json;
use axum::extract::State;
use domain::id::BatchId;
use engine::EngineError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use store::batches::ItemOutcome;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{BatchesQuery, Identity, NoBody, PathOf, Query, page_limit, position_cursor};
use crate::json::{Item, RawJson, count_values, parse};
use crate::problem::{ApiResult, Problem};
use crate::shapes::ListOf;
use crate::shapes::batches::{BatchItemResponse, BatchResponse, BatchResult, BatchResultsResponse};
use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list_batches))
        .routes(routes!(get_batch))
        .routes(routes!(list_batch_items))
        .routes(routes!(abort_batch))
        .routes(routes!(pause_batch))
        .routes(routes!(resume_batch))
}

/// Which objects of a bulk operation to list.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ItemsQuery {
    /// `done`, `failed` or `skipped`. Several values are separated by commas.
    outcome: Option<String>,
    /// Page size, 1 to 500 (default 50).
    limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// List bulk operations, newest first
#[utoipa::path(
    get, path = "/v1/batches", tag = "bulk operations", params(BatchesQuery),
    responses((status = 200, description = "Bulk operations.", body = ListOf<BatchResponse>))
)]
async fn list_batches(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    query: BatchesQuery,
) -> ApiResult<Json<ListOf<BatchResponse>>> {
    let batches = state.engine.search_batches(&caller, query.request()).await?;
    Ok(Json(query.answer(batches, BatchResponse::from)))
}

/// Show the progress of a bulk operation
#[utoipa::path(
    get, path = "/v1/batches/{id}", tag = "bulk operations", params(("id" = String, Path)),
    responses((status = 200, description = "The bulk operation.", body = BatchResponse))
)]
async fn get_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
) -> ApiResult<Json<BatchResponse>> {
    Ok(Json(state.engine.batch(&caller, id).await?.into()))
}

/// List the objects of a bulk operation and their outcomes, in processing order
#[utoipa::path(
    get, path = "/v1/batches/{id}/items", tag = "bulk operations", params(("id" = String, Path), ItemsQuery),
    responses((status = 200, description = "Processed objects.", body = ListOf<BatchItemResponse>))
)]
async fn list_batch_items(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
    Query(query): Query<ItemsQuery>,
) -> ApiResult<Json<ListOf<BatchItemResponse>>> {
    let expected = || Problem::fault("/outcome", "expected done, failed or skipped");
    let outcomes = query.outcome.as_deref().into_iter().flat_map(|text| text.split(','));
    let outcomes: Vec<ItemOutcome> =
        outcomes.map(|text| ItemOutcome::parse(text).ok_or_else(expected)).collect::<ApiResult<_>>()?;
    let limit = page_limit(query.limit)?;
    let after = position_cursor(query.cursor.as_deref())?.unwrap_or(0);
    let items = state.engine.batch_items(&caller, id, &outcomes, after, limit + 1).await?;
    Ok(Json(ListOf::cut(items, limit, |line| line.item.position.to_string(), BatchItemResponse::from)))
}

/// Abort a bulk operation
///
/// Changes that were already made are kept.
#[utoipa::path(
    post, path = "/v1/batches/{id}/abort", tag = "bulk operations", params(("id" = String, Path)),
    responses((status = 200, description = "The bulk operation.", body = BatchResponse))
)]
async fn abort_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
    _: NoBody,
) -> ApiResult<Json<BatchResponse>> {
    Ok(Json(state.engine.abort_batch(&caller, id).await?.into()))
}

/// Pause a bulk operation
#[utoipa::path(
    post, path = "/v1/batches/{id}/pause", tag = "bulk operations", params(("id" = String, Path)),
    responses((status = 200, description = "The bulk operation.", body = BatchResponse))
)]
async fn pause_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
    _: NoBody,
) -> ApiResult<Json<BatchResponse>> {
    Ok(Json(state.engine.pause_batch(&caller, id).await?.into()))
}

/// Resume a paused bulk operation
#[utoipa::path(
    post, path = "/v1/batches/{id}/resume", tag = "bulk operations", params(("id" = String, Path)),
    responses((status = 200, description = "The bulk operation.", body = BatchResponse))
)]
async fn resume_batch(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    PathOf(id): PathOf<BatchId>,
    _: NoBody,
) -> ApiResult<Json<BatchResponse>> {
    Ok(Json(state.engine.resume_batch(&caller, id).await?.into()))
}

// Batches: reading the items one by one, so that a fault has its place and a partial batch keeps the valid ones.

/// The items of a batch, each read or refused.
pub(super) struct Items<R> {
    field: &'static str,
    items: Vec<ApiResult<R>>,
}

impl<R> Items<R> {
    /// Reads the items of the body's field. `each` maps a shape to a request.
    pub(super) fn read<T: DeserializeOwned + Item>(
        field: &'static str,
        items: Option<Vec<RawJson>>,
        items_max: usize,
        each: impl Fn(T) -> ApiResult<R>,
    ) -> ApiResult<Self> {
        let items = items.ok_or_else(|| Problem::fault(format!("/{field}"), "is required"))?;
        if items.len() > items_max {
            return Err(Problem::fault(format!("/{field}"), format!("expected at most {items_max} items")));
        }
        if items.is_empty() {
            return Err(Problem::fault(format!("/{field}"), "expected at least one item"));
        }
        let mut values = 0;
        let mut read = Vec::with_capacity(items.len());
        for item in &items {
            let item = parse::<T>(item.text());
            if let Ok(item) = &item {
                count_values(&mut values, item)
                    .map_err(|message| Problem::fault(format!("/{field}"), message))?;
            }
            read.push(item.and_then(&each));
        }
        Ok(Self { field, items: read })
    }

    /// The requests, if all of them could be read.
    pub(super) fn all(self) -> ApiResult<Vec<R>> {
        let (mut requests, mut faults) = (Vec::with_capacity(self.items.len()), Vec::new());
        for (index, item) in self.items.into_iter().enumerate() {
            match item {
                Ok(request) => requests.push(request),
                Err(problem) => {
                    faults.extend(problem.under(&format!("/{}/{index}", self.field)).into_faults()?);
                }
            }
        }
        if faults.is_empty() { Ok(requests) } else { Err(Problem::invalid(faults)) }
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.items.len()
    }

    /// The request at a place, if it is valid so far.
    pub(super) fn request(&self, index: usize) -> Option<&R> {
        self.items.get(index).and_then(|item| item.as_ref().ok())
    }

    /// Refuses the item at a place, as the engine would. A store that fails is no fault of an item.
    pub(super) fn refuse(&mut self, index: usize, error: EngineError) -> ApiResult<()> {
        if !is_fault_of_item(&error) {
            return Err(error.into());
        }
        self.items[index] = Err(error.into());
        Ok(())
    }

    /// Parts the valid requests from the places of all items.
    pub(super) fn part(self) -> (Vec<R>, Vec<Option<Problem>>) {
        let (mut requests, mut places) = (Vec::new(), Vec::with_capacity(self.items.len()));
        for item in self.items {
            match item {
                Ok(request) => {
                    requests.push(request);
                    places.push(None);
                }
                Err(problem) => places.push(Some(problem)),
            }
        }
        (requests, places)
    }
}

const fn is_fault_of_item(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Invalid(_)
            | EngineError::NotFound { .. }
            | EngineError::Forbidden { .. }
            | EngineError::Conflict { .. }
    )
}

/// The results of a partial batch, in the order of its items.
pub(super) fn results<A>(places: Vec<Option<Problem>>, accepted: Vec<A>) -> BatchResultsResponse<A> {
    let mut accepted = accepted.into_iter();
    let results = places
        .into_iter()
        .filter_map(|place| match place {
            Some(problem) => Some(BatchResult::Refused { error: problem.shape() }),
            None => accepted.next().map(BatchResult::Accepted),
        })
        .collect();
    BatchResultsResponse { results }
}

/// The engine's fault pointers of a batch of one are those of its only item.
pub(super) fn below_batch(error: EngineError, field: &str, len: usize) -> Problem {
    let problem = Problem::from(error);
    if len == 1 { problem.under(&format!("/{field}/0")) } else { problem }
}
