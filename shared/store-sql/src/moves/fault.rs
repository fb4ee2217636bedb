//! What stops a move.

use store::StoreError;

use crate::errors::classify_sqlx;

/// An error of the driver.
pub(super) fn failed(error: sqlx::Error) -> StoreError {
    classify_sqlx("move", error)
}

/// What is in the way of a move.
pub(super) fn refused(reason: impl Into<String>) -> StoreError {
    StoreError::Immovable { reason: reason.into() }
}
