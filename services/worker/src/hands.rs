//! The hands of a pool: one for each job that it may hold at a time.
//!
//! A hand is taken before a claim and freed when the job is settled or given back, not when its handler returns, so
//! that a pool never holds more leases than it has hands.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A claim waits until this part of the hands is free, so that a busy pool claims and settles a few large batches in
/// turns instead of very many small ones.
const WORTHWHILE_PART: u32 = 4;
/// How long it waits for them at most: hands that are free are not kept from jobs because the others are busy.
const GATHER_WAIT: Duration = Duration::from_millis(2);

/// The hands of one pool.
#[derive(Debug, Clone)]
pub(crate) struct Hands {
    total: u32,
    gather_wait: Duration,
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
        Self { total: total as u32, gather_wait: GATHER_WAIT, free: Arc::new(Semaphore::new(total)) }
    }

    /// Waits for a free hand and takes all that are free. Of a pool that has its hands full, a part is waited for a
    /// moment.
    pub(crate) async fn take_free(&self) -> FreeHands {
        let worthwhile = (self.total / WORTHWHILE_PART).max(1);
        if (self.free.available_permits() as u32) < worthwhile {
            drop(self.acquire(1).await);
            // What is settled together is freed together: let the rest of it arrive, and claim once.
            tokio::task::yield_now().await;
            if (self.free.available_permits() as u32) < worthwhile {
                drop(tokio::time::timeout(self.gather_wait, self.acquire(worthwhile)).await);
            }
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

    #[tokio::test]
    async fn a_part_of_the_hands_is_waited_for_but_not_for_long() {
        let mut hands = Hands::new(8);
        hands.gather_wait = Duration::from_hours(1);
        let mut all = hands.take_free().await;
        let [first, second, third] = std::array::from_fn(|_| all.take());
        let mut next = std::pin::pin!(hands.take_free());
        drop(first);
        for _ in 0..10 {
            // One of eight is not worth a claim yet.
            assert!(futures::poll!(next.as_mut()).is_pending());
        }
        drop(second);
        let two = next.await;
        assert_eq!(two.count(), 2);

        // The other hands do not come back, and the one is used all the same.
        let mut hands = hands.clone();
        hands.gather_wait = Duration::from_millis(1);
        drop(third);
        assert_eq!(hands.take_free().await.count(), 1);
        drop((two, all));
    }
}
