//! The idle slots of a pool, offered to jobs that are being stored.
//!
//! Such a job is leased by the commit that stores it and comes here from the engine, past the dispatcher. Claims
//! nothing.

use std::sync::Arc;
use std::time::Instant;

use domain::names::JobType;
use engine::{PoolClaim, ReservedSlots, SlotProvider};
use store::jobs::{ClaimedJob, NewJob};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::held_job::HeldJob;
use crate::pool::Pool;
use crate::slots::FreeSlots;

/// The offer of a pool.
pub(crate) struct Offer {
    pool: Arc<Pool>,
    job_types: Option<Vec<JobType>>,
    jobs: UnboundedSender<HeldJob>,
    /// The reserved slots that wait for jobs.
    taken: TaskTracker,
}

impl Offer {
    pub(crate) fn new(
        pool: Arc<Pool>,
        job_types: Option<Vec<JobType>>,
        jobs: UnboundedSender<HeldJob>,
    ) -> Self {
        Self { pool, job_types, jobs, taken: TaskTracker::new() }
    }

    /// Waits until no reserved slots wait for jobs. None are reserved any more once the pool drains.
    pub(crate) async fn end(&self) {
        self.taken.close();
        self.taken.wait().await;
    }
}

impl SlotProvider for Offer {
    fn take(&self, jobs: &[&NewJob]) -> Option<Box<dyn ReservedSlots>> {
        let is_mine =
            |job: &&NewJob| self.job_types.as_ref().is_none_or(|types| types.contains(&job.job_type));
        // Before the look at the drain, whose end waits for it.
        let token = self.taken.token();
        let mine = jobs.iter().filter(|job| is_mine(job)).count();
        if self.pool.stops.drain.is_cancelled() || mine == 0 {
            return None;
        }
        let slots = self.pool.slots.try_take(u32::try_from(mine).unwrap_or(u32::MAX))?;
        Some(Box::new(Taken {
            pool: Arc::clone(&self.pool),
            job_types: self.job_types.clone(),
            jobs: self.jobs.clone(),
            slots,
            asked_at: Instant::now(),
            _token: token,
        }))
    }
}

/// Slots of a pool that its dispatcher cannot use.
struct Taken {
    pool: Arc<Pool>,
    job_types: Option<Vec<JobType>>,
    jobs: UnboundedSender<HeldJob>,
    slots: FreeSlots,
    asked_at: Instant,
    _token: TaskTrackerToken,
}

impl ReservedSlots for Taken {
    fn claim(&self) -> PoolClaim {
        PoolClaim {
            queue: self.pool.queue(),
            jobs_max: self.slots.count(),
            worker_id: self.pool.options.worker_id.clone(),
            job_types: self.job_types.clone(),
        }
    }

    fn start(self: Box<Self>, jobs: Vec<ClaimedJob>) {
        let Self { pool, jobs: sender, slots, asked_at, .. } = *self;
        pool.dispatch(jobs, slots, asked_at, &sender);
    }
}
