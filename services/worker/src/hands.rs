//! The hands of a pool: one for each job that it may hold at a time.
//!
//! A hand is taken before a claim and freed when the job is settled or given back, not when its handler returns, so
//! that a pool never holds more leases than it has hands.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The hands of one pool.
#[derive(Debug, Clone)]
pub(crate) struct Hands {
    total: u32,
    free: Arc<Semaphore>,
}

/// Hands taken before a claim. Those that are not used are free again when it is dropped.
#[derive(Debug)]
pub(crate) struct FreeHands(OwnedSemaphorePermit);

/// A hand that holds a job, free again when dropped.
#[derive(Debug)]
pub(crate) struct Hand {
    _permit: OwnedSemaphorePermit,
}

impl Hands {
    /// `total` free hands.
    pub(crate) fn new(total: usize) -> Self {
        let total = total.clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Self { total: total as u32, free: Arc::new(Semaphore::new(total)) }
    }

    /// Waits for a free hand and takes all that are free.
    pub(crate) async fn take_free(&self) -> FreeHands {
        // What is settled together is freed together: let the rest of it arrive, and claim once.
        if self.free.available_permits() == 0 {
            drop(self.acquire(1).await);
            tokio::task::yield_now().await;
        }
        let mut permit = self.acquire(1).await;
        let more = self.free.available_permits() as u32;
        if let Ok(rest) = Arc::clone(&self.free).try_acquire_many_owned(more) {
            permit.merge(rest);
        }
        FreeHands(permit)
    }

    /// Waits until all hands are free.
    pub(crate) async fn wait_all_free(&self) {
        drop(self.acquire(self.total).await);
    }

    async fn acquire(&self, count: u32) -> OwnedSemaphorePermit {
        Arc::clone(&self.free).acquire_many_owned(count).await.expect("the semaphore is never closed")
    }
}

impl FreeHands {
    /// How many hands these are.
    pub(crate) fn count(&self) -> u32 {
        self.0.num_permits() as u32
    }

    /// Takes one of these hands for a job; `None` if none is left.
    pub(crate) fn take(&mut self) -> Option<Hand> {
        self.0.split(1).map(|permit| Hand { _permit: permit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn free_hands_are_taken_together_and_split() {
        let hands = Hands::new(3);
        let mut all = hands.take_free().await;
        assert_eq!(all.count(), 3);
        let one = all.take().expect("three hands");
        let two = all.take().expect("two hands");
        drop(all);
        let mut rest = hands.take_free().await;
        assert_eq!(rest.count(), 1);
        drop((one, two));
        let three = rest.take().expect("one hand");
        assert!(rest.take().is_none());
        assert_eq!(hands.take_free().await.count(), 2);
        drop((rest, three));
        hands.wait_all_free().await;
    }
}
