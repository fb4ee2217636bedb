//! What stops a move.

use std::time::Duration;

use store::{StoreError, StoreResult};

use crate::errors::classify_sqlx;

/// An error of the driver.
pub(super) fn failed(error: sqlx::Error) -> StoreError {
    classify_sqlx("move", error)
}

/// What is in the way of a move.
pub(super) fn refused(reason: impl Into<String>) -> StoreError {
    StoreError::Immovable { reason: reason.into() }
}

/// Longer than the server lets a statement take. Whoever does not answer by then has gone silent, and a move that waited on would
/// keep the log of the source from being emptied for as long.
pub(super) const ANSWERED_WITHIN: Duration = Duration::from_mins(11);

/// The answer of a database, if it comes.
pub(super) async fn answered<T>(call: impl Future<Output = Result<T, sqlx::Error>>) -> StoreResult<T> {
    answered_within(ANSWERED_WITHIN, call).await
}

/// The same for a statement that may take longer than others.
pub(super) async fn answered_within<T>(
    within: Duration,
    call: impl Future<Output = Result<T, sqlx::Error>>,
) -> StoreResult<T> {
    match tokio::time::timeout(within, call).await {
        Ok(answer) => answer.map_err(failed),
        Err(elapsed) => Err(StoreError::Unavailable { source: elapsed.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_database_that_goes_silent_stops_the_move() {
        let silent = std::future::pending::<Result<(), sqlx::Error>>();
        let ended = answered(silent).await;
        assert!(matches!(ended, Err(StoreError::Unavailable { .. })), "{ended:?}");
    }
}
