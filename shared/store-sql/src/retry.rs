//! How often the store tries a call again by itself.
//!
//! Only calls that are safe to repeat are tried again after a broken connection, where the commit may have happened:
//! reads, and writes that carry ids or tokens.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::{Duration, Instant};

use sea_orm::DbErr;
use store::{StoreError, StoreResult};

use crate::errors::{is_broken_connection, is_unique_violation};

/// The most tries of one call.
const TRIES_MAX: u32 = 5;

/// No try begins later than this after the first: callers have deadlines of their own.
const TRIES_WITHIN: Duration = Duration::from_secs(15);

/// Tries of one call. Use as
/// `loop { match self.once().await { Err(error) if tries.again(&error).await => {} answer => return answer } }`.
#[derive(Debug)]
pub(crate) struct RetryBudget {
    so_far: u32,
    began: Instant,
    is_repeatable: bool,
}

impl RetryBudget {
    /// For a call that may be repeated though it may have been carried out.
    pub(crate) fn repeatable() -> Self {
        Self { so_far: 0, began: Instant::now(), is_repeatable: true }
    }

    /// For a call that is repeated only if it surely was undone.
    pub(crate) fn once() -> Self {
        Self { so_far: 0, began: Instant::now(), is_repeatable: false }
    }

    /// Whether to try again after this error; waits a little before it says so.
    pub(crate) async fn again(&mut self, error: &StoreError) -> bool {
        let should_try = match error {
            StoreError::Contended { .. } => true,
            // Every insert says what to do on a conflict; what is left is two transactions that admitted jobs of one
            // concurrency key at once.
            error if is_unique_violation(error) => true,
            StoreError::Unavailable { source } => self.is_repeatable && is_broken(source.as_ref()),
            StoreError::Unknown { .. } => self.is_repeatable,
            _ => false,
        };
        if !should_try || self.so_far + 1 >= TRIES_MAX || self.began.elapsed() >= TRIES_WITHIN {
            return false;
        }
        self.so_far += 1;
        // The hasher's seed is random: enough to part two that collided.
        let spread = RandomState::new().build_hasher().finish() % 8;
        tokio::time::sleep(Duration::from_millis(u64::from(self.so_far) * 5 + spread)).await;
        true
    }
}

/// Makes a call as often as `tries` allows.
pub(crate) async fn with_retry<T, F>(mut tries: RetryBudget, mut call: impl FnMut() -> F) -> StoreResult<T>
where
    F: Future<Output = StoreResult<T>>,
{
    loop {
        match call().await {
            Err(error) if tries.again(&error).await => {}
            answer => return answer,
        }
    }
}

/// `None` where the call may have been carried out and another way is to find out: its connection broke, or it was in
/// another's way. Other failures stay failures.
pub(crate) fn or_none<T>(answer: StoreResult<T>) -> StoreResult<Option<T>> {
    match answer {
        Err(StoreError::Contended { .. } | StoreError::Unknown { .. }) => Ok(None),
        Err(StoreError::Unavailable { source }) if is_broken(source.as_ref()) => Ok(None),
        answer => answer.map(Some),
    }
}

fn is_broken(source: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    source.downcast_ref::<DbErr>().is_some_and(is_broken_connection)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    async fn tries_of(tries: RetryBudget, fault: impl Fn() -> StoreError) -> u32 {
        let calls = Cell::new(0);
        let call = || {
            calls.set(calls.get() + 1);
            std::future::ready(Err::<(), StoreError>(fault()))
        };
        assert!(with_retry(tries, call).await.is_err());
        calls.get()
    }

    #[tokio::test]
    async fn what_is_in_anothers_way_is_tried_again_but_not_for_ever() {
        let contended = || StoreError::Contended { source: "a deadlock was broken".into() };
        assert_eq!(tries_of(RetryBudget::once(), contended).await, TRIES_MAX);
        let broken = || StoreError::Unavailable { source: "not a broken connection".into() };
        assert_eq!(tries_of(RetryBudget::repeatable(), broken).await, 1);
    }
}
