//! What a batch answers.

use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::ProblemResponse;

/// The results of a batch, in the order of its items.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchResults)]
pub(crate) struct BatchResultsResponse<T> {
    /// One result per item.
    pub(crate) results: Vec<BatchResult<T>>,
}

/// The result of one item.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum BatchResult<T> {
    /// Accepted.
    Accepted(T),
    /// Rejected.
    Refused {
        /// The error.
        error: ProblemResponse,
    },
}
