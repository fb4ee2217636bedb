//! The hands of a pool: one for each job that it may hold at a time.
//!
//! A hand is taken before a claim and freed when the job is settled or given back, not when its handler returns, so
//! that a pool never holds more leases than it has hands.

use std::sync::Arc;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The hands of one pool.
#[derive(Debug, Clone)]
pub(crate) struct Hands {
    total: u32,
    free: Arc<Semaphore>,
    freed: Arc<Notify>,
}

/// Hands taken before a claim. Those that are not used are free again when it is dropped.
#[derive(Debug)]
pub(crate) struct FreeHands {
    permit: OwnedSemaphorePermit,
    freed: Arc<Notify>,
}

/// A hand that holds a job, free again when dropped.
#[derive(Debug)]
pub(crate) struct Hand {
    permit: Option<OwnedSemaphorePermit>,
    freed: Arc<Notify>,
}

impl Hands {
    /// `total` free hands.
    pub(crate) fn new(total: usize) -> Self {
        let total = total.clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Self { total: total as u32, free: Arc::new(Semaphore::new(total)), freed: Arc::new(Notify::new()) }
    }

    /// Waits for a free hand and takes all that are free.
    pub(crate) async fn take_free(&self) -> FreeHands {
        // What is settled together is freed together: let the rest of it arrive, and claim once.
        if self.free.available_permits() == 0 {
            drop(Arc::clone(&self.free).acquire_owned().await);
            tokio::task::yield_now().await;
        }
        let mut permit = acquire(&self.free, 1).await;
        let more = self.free.available_permits() as u32;
        if let Ok(rest) = Arc::clone(&self.free).try_acquire_many_owned(more) {
            permit.merge(rest);
        }
        FreeHands { permit, freed: Arc::clone(&self.freed) }
    }

    /// Waits until a hand is freed. Remembers one that was freed since the last wait.
    pub(crate) async fn wait_freed(&self) {
        self.freed.notified().await;
    }

    /// Waits until all hands are free.
    pub(crate) async fn wait_all_free(&self) {
        drop(acquire(&self.free, self.total).await);
    }

    /// How many hands hold a job.
    pub(crate) fn busy(&self) -> u32 {
        self.total - (self.free.available_permits() as u32).min(self.total)
    }
}

async fn acquire(free: &Arc<Semaphore>, count: u32) -> OwnedSemaphorePermit {
    Arc::clone(free).acquire_many_owned(count).await.expect("the semaphore is never closed")
}

impl FreeHands {
    /// How many hands these are.
    pub(crate) fn count(&self) -> u32 {
        self.permit.num_permits() as u32
    }

    /// Takes one of these hands for a job; `None` if none is left.
    pub(crate) fn take(&mut self) -> Option<Hand> {
        let permit = self.permit.split(1)?;
        Some(Hand { permit: Some(permit), freed: Arc::clone(&self.freed) })
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        drop(self.permit.take());
        self.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn free_hands_are_taken_together_and_split() {
        let hands = Hands::new(3);
        let mut all = hands.take_free().await;
        assert_eq!((all.count(), hands.busy()), (3, 3));
        let one = all.take().expect("three hands");
        let two = all.take().expect("two hands");
        drop(all);
        assert_eq!(hands.busy(), 2);
        drop((one, two));
        hands.wait_freed().await;
        let mut rest = hands.take_free().await;
        let taken: Vec<Hand> = std::iter::from_fn(|| rest.take()).collect();
        assert_eq!((taken.len(), rest.count()), (3, 0));
        drop((rest, taken));
        hands.wait_all_free().await;
        assert_eq!(hands.busy(), 0);
    }
}
