//! Batches: reading the items one by one, so that a fault has its place and a partial batch keeps the valid ones.

use engine::EngineError;
use serde::de::DeserializeOwned;

use crate::json::{RawJson, parse};
use crate::problem::{ApiResult, Problem};
use crate::shapes::batch_results::{BatchResult, BatchResultsResponse};

/// The items of a batch, each read or refused.
pub(super) struct Items<R> {
    field: &'static str,
    items: Vec<ApiResult<R>>,
}

impl<R> Items<R> {
    /// Reads the items of the body's field. `each` maps a shape to a request.
    pub(super) fn read<T: DeserializeOwned>(
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
        let items = items.iter().map(|item| parse(item.text()).and_then(&each)).collect();
        Ok(Self { field, items })
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
