//! The slots of a pool: one for each job that it may hold at a time.
//!
//! A slot is taken before a claim and freed when the job is settled or given back, not when its handler returns, so
//! that a pool never holds more leases than it has slots.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use store::jobs::ClaimedJob;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::leases::HeldLease;

/// A claim takes this part of the slots at most, so that one part is claimed for while another is settled. Pools of few
/// slots claim for all of them: what a claim costs beside its jobs weighs more there.
const CLAIM_PART: u32 = 2;
const FEW_SLOTS: u32 = 16;
/// How long a claim from a backlog waits at most for slots whose reports are being written, so that a busy pool claims
/// and settles a few large batches instead of very many small ones. Free slots do not stay without jobs for longer.
const GATHER_WAIT: Duration = Duration::from_millis(10);

/// What the last claim showed of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Jobs wait for slots.
    Backlog,
    /// Slots wait for jobs: the next job does not wait.
    Quiet,
}

/// The slots of one pool, shared by its dispatcher, its runner and its settler.
#[derive(Debug, Clone)]
pub(crate) struct WorkerSlots {
    total: u32,
    claim_max: u32,
    gather_wait: Duration,
    free: Arc<Semaphore>,
    /// How many hold a job that is over, and are free as soon as its report is written.
    returning: Arc<AtomicU32>,
}

/// Slots taken before a claim. Those that are not used are free again when it is dropped.
#[derive(Debug)]
pub(crate) struct FreeSlots {
    permit: OwnedSemaphorePermit,
    returning: Arc<AtomicU32>,
}

/// A slot that a job occupies, free again when dropped.
#[derive(Debug)]
pub(crate) struct WorkerSlot {
    _permit: OwnedSemaphorePermit,
    returning: Arc<AtomicU32>,
    is_returning: bool,
}

impl WorkerSlot {
    /// Says that its job is over and only the report is to be written.
    pub(crate) fn record_returning(&mut self) {
        if !self.is_returning {
            self.is_returning = true;
            self.returning.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for WorkerSlot {
    fn drop(&mut self) {
        if self.is_returning {
            self.returning.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl WorkerSlots {
    /// `total` free slots.
    pub(crate) fn new(total: usize) -> Self {
        let total = total.clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        let free = Arc::new(Semaphore::new(total));
        let total = total as u32;
        let claim_max = if total <= FEW_SLOTS { total } else { total.div_ceil(CLAIM_PART) };
        Self { total, claim_max, gather_wait: GATHER_WAIT, free, returning: Arc::default() }
    }

    /// Waits for a free slot and takes those that are free, as many as one claim may have. Where jobs wait, slots that
    /// are about to come back are waited for a moment.
    pub(crate) async fn take_free(&self, demand: Demand) -> FreeSlots {
        if demand == Demand::Backlog {
            // What is settled together is freed together, one after the other.
            drop(self.acquire(1).await);
            let free = self.free.available_permits() as u32;
            let soon = free.saturating_add(self.returning.load(Ordering::Relaxed)).min(self.claim_max);
            if soon > free {
                drop(tokio::time::timeout(self.gather_wait, self.acquire(soon)).await);
            }
        }
        let mut permit = self.acquire(1).await;
        let more = (self.free.available_permits() as u32).min(self.claim_max - 1);
        if let Ok(rest) = Arc::clone(&self.free).try_acquire_many_owned(more) {
            permit.merge(rest);
        }
        FreeSlots { permit, returning: Arc::clone(&self.returning) }
    }

    /// Takes up to `max` slots, without waiting; `None` if none is free.
    pub(crate) fn try_take(&self, max: u32) -> Option<FreeSlots> {
        let count = max.min(self.free.available_permits() as u32);
        if count == 0 {
            return None;
        }
        let permit = Arc::clone(&self.free).try_acquire_many_owned(count).ok()?;
        Some(FreeSlots { permit, returning: Arc::clone(&self.returning) })
    }

    /// Waits until all slots are free.
    pub(crate) async fn wait_all_free(&self) {
        drop(self.acquire(self.total).await);
    }

    /// How many are free now.
    #[cfg(test)]
    pub(crate) fn free_count(&self) -> usize {
        self.free.available_permits()
    }

    async fn acquire(&self, count: u32) -> OwnedSemaphorePermit {
        Arc::clone(&self.free).acquire_many_owned(count).await.expect("the semaphore is never closed")
    }
}

impl FreeSlots {
    /// How many slots these are.
    pub(crate) fn count(&self) -> u32 {
        self.permit.num_permits() as u32
    }

    /// Takes one of these slots for a job; `None` if none is left.
    pub(crate) fn take(&mut self) -> Option<WorkerSlot> {
        let permit = self.permit.split(1)?;
        Some(WorkerSlot { _permit: permit, returning: Arc::clone(&self.returning), is_returning: false })
    }
}

// A claimed job on its way through the pool: the job, its lease and the slot that it occupies.

/// A claimed job. Dropping it stops the renewal of its lease and frees its slot; the lease then runs out by itself.
#[derive(Debug)]
pub(crate) struct HeldJob {
    pub(crate) job: ClaimedJob,
    pub(crate) lease: HeldLease,
    pub(crate) slot: WorkerSlot,
    /// When the claim was asked for: its attempt began no earlier.
    pub(crate) asked_at: Instant,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn free_slots_are_taken_together_and_split() {
        let slots = WorkerSlots::new(3);
        let mut all = slots.take_free(Demand::Quiet).await;
        assert_eq!(all.count(), 3);
        let one = all.take().expect("three slots");
        let two = all.take().expect("two slots");
        drop(all);
        let mut rest = slots.take_free(Demand::Quiet).await;
        assert_eq!(rest.count(), 1);
        drop((one, two));
        let three = rest.take().expect("one slot");
        assert!(rest.take().is_none());
        assert_eq!(slots.take_free(Demand::Quiet).await.count(), 2);
        drop((rest, three));
        slots.wait_all_free().await;
    }

    #[tokio::test]
    async fn slots_that_come_back_are_waited_for_but_not_for_long() {
        let mut slots = WorkerSlots::new(8);
        slots.gather_wait = Duration::from_hours(1);
        let mut all = slots.take_free(Demand::Quiet).await;
        let [first, mut second, mut third] = std::array::from_fn(|_| all.take().expect("eight slots"));
        second.record_returning();
        second.record_returning();
        let mut next = std::pin::pin!(slots.take_free(Demand::Backlog));
        drop(first);
        for _ in 0..10 {
            assert!(futures::poll!(next.as_mut()).is_pending(), "one is free, another comes back");
        }
        drop(second);
        let two = next.await;
        assert_eq!(two.count(), 2);

        // The report of the third is not written, and the slots that are free are used all the same.
        let mut slots = slots.clone();
        slots.gather_wait = Duration::from_millis(1);
        third.record_returning();
        drop(two);
        let two = slots.take_free(Demand::Backlog).await;
        assert_eq!(two.count(), 2);
        drop((two, third, all));
    }

    #[tokio::test]
    async fn occupied_slots_are_not_waited_for() {
        let mut slots = WorkerSlots::new(8);
        slots.gather_wait = Duration::from_hours(1);
        let mut all = slots.take_free(Demand::Quiet).await;
        drop(all.take());
        assert_eq!(slots.take_free(Demand::Backlog).await.count(), 1);
    }

    #[tokio::test]
    async fn a_job_that_comes_alone_is_not_kept_waiting_for_reports() {
        let mut slots = WorkerSlots::new(8);
        slots.gather_wait = Duration::from_hours(1);
        let mut all = slots.take_free(Demand::Quiet).await;
        let mut busy = all.take().expect("eight slots");
        busy.record_returning();
        drop(all.take());
        assert_eq!(slots.take_free(Demand::Quiet).await.count(), 1);
    }

    #[tokio::test]
    async fn one_claim_leaves_slots_of_a_large_pool_for_the_next() {
        let slots = WorkerSlots::new(101);
        let first = slots.take_free(Demand::Quiet).await;
        let second = slots.take_free(Demand::Backlog).await;
        assert_eq!([first.count(), second.count()], [51, 50]);
        assert_eq!(slots.free_count(), 0);
    }
}
