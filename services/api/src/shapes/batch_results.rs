//! What a batch answers.

use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::ProblemResponse;

/// What became of each item of a batch, in order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchResults)]
pub(crate) struct BatchResultsResponse<T> {
    /// One result for each item.
    pub(crate) results: Vec<BatchResult<T>>,
}

/// What became of one item.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum BatchResult<T> {
    /// It was accepted.
    Accepted(T),
    /// It was refused.
    Refused {
        /// Why.
        error: ProblemResponse,
    },
}
