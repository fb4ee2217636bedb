//! The dispatcher of a pool: claims for all free slots at once and dispatches the jobs from memory.
//!
//! It runs in a task that is never cancelled, only asked to stop, so that no claim is cut off between the store's
//! commit and our knowing of it. An error of the store never ends it. Runs no job.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::names::JobType;
use engine::{PoolClaim, ReservedSlots, SlotProvider};
use futures::FutureExt;
use store::jobs::{ClaimedJob, NewJob};
use store::operations::WorkerRecord;
use store::wakeup::Hint;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::backoff::{Backoff, jittered};
use crate::pool::Pool;
use crate::slots::{Demand, FreeSlots, HeldJob};

/// The waits after errors of the store.
const WAIT_MIN: Duration = Duration::from_millis(100);
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Claims until the pool drains.
pub(crate) struct Dispatcher {
    pool: Arc<Pool>,
    job_types: Option<Vec<JobType>>,
    jobs: UnboundedSender<HeldJob>,
    /// What it offers beside its claims.
    offer: Arc<Offer>,
    /// `None` after the sender of hints is gone; the poll goes on.
    hints: Option<broadcast::Receiver<Hint>>,
}

/// How a claim went.
enum Claimed {
    /// As many jobs as there were free slots: there may be more.
    Full,
    /// Fewer.
    Some,
    /// An error; already logged.
    Failed,
}

impl Dispatcher {
    /// A dispatcher that sends what it claims to `jobs`. Hints that are sent from now on are not missed.
    pub(crate) fn new(pool: Arc<Pool>, jobs: UnboundedSender<HeldJob>) -> Self {
        let job_types = pool.handlers.claimed_types(pool.queue());
        let hints = Some(pool.engine.wakeup().subscribe());
        let offer = Arc::new(Offer::new(Arc::clone(&pool), job_types.clone(), jobs.clone()));
        Self { pool, job_types, jobs, offer, hints }
    }

    /// Claims until the pool drains. Dropping `self` at the end closes the channel of jobs.
    pub(crate) async fn run(mut self) {
        // A pool without handlers would only take jobs away from others.
        if self.job_types.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        let offer: Arc<dyn SlotProvider> = Arc::<Offer>::clone(&self.offer);
        self.pool.engine.offer_slots(self.pool.queue(), Arc::downgrade(&offer));
        self.claim_until_drained().await;
        // What was leased for idle slots meanwhile is dispatched before the channel is closed.
        self.offer.end().await;
    }

    async fn claim_until_drained(&mut self) {
        let pool = Arc::clone(&self.pool);
        let drain = pool.stops.drain.clone();
        let mut backoff = Backoff::new(WAIT_MIN, WAIT_MAX);
        let mut demand = Demand::Quiet;
        while !drain.is_cancelled() {
            let slots = tokio::select! {
                slots = pool.slots.take_free(demand) => slots,
                () = drain.cancelled() => return,
            };
            // What was announced up to here is seen by the claim.
            self.forget_hints();
            match self.claim(slots).await {
                Claimed::Full => {
                    backoff.reset();
                    demand = Demand::Backlog;
                }
                Claimed::Some => {
                    backoff.reset();
                    demand = Demand::Quiet;
                    self.wait().await;
                }
                Claimed::Failed => {
                    let wait = backoff.next(pool.engine.entropy().jitter());
                    let _ = tokio::time::timeout(wait, drain.cancelled()).await;
                }
            }
        }
    }

    async fn claim(&self, slots: FreeSlots) -> Claimed {
        let pool = &self.pool;
        self.record_worker();
        let wanted = slots.count();
        let request = PoolClaim {
            queue: pool.queue(),
            jobs_max: wanted,
            worker_id: pool.options.worker_id.clone(),
            job_types: self.job_types.clone(),
        };
        let asked_at = Instant::now();
        let answer = AssertUnwindSafe(pool.engine.claim(request)).catch_unwind().await;
        let jobs = match answer {
            Ok(Ok(jobs)) => jobs,
            Ok(Err(error)) => {
                tracing::warn!(queue = %pool.queue(), error = &error as &dyn std::error::Error, "a claim failed");
                return Claimed::Failed;
            }
            Err(_) => {
                tracing::error!(queue = %pool.queue(), "a claim panicked");
                return Claimed::Failed;
            }
        };
        let count = jobs.len() as u32;
        pool.dispatch(jobs, slots, asked_at, &self.jobs);
        if count >= wanted { Claimed::Full } else { Claimed::Some }
    }

    /// Waits for a hint about the queue, room under a rate, the next poll or the end. A finished job is such a hint: the engine sends one
    /// whenever slots become free. Where no slot was free, it waits for a slot.
    async fn wait(&mut self) {
        let pool = Arc::clone(&self.pool);
        let longest = pool.options.poll_every.to_std();
        let poll = tokio::time::sleep(jittered(longest, pool.engine.entropy().jitter()));
        tokio::select! {
            () = pool.stops.drain.cancelled() => {}
            () = self.hinted() => {}
            () = pool.engine.next_start(pool.queue()) => {}
            () = poll => {}
        }
    }

    /// Resolves with a hint about the queue. A receiver that was too slow takes it for one.
    async fn hinted(&mut self) {
        let queue = self.pool.queue();
        while let Some(hints) = &mut self.hints {
            match hints.recv().await {
                Ok(Hint::Queue(hinted) | Hint::Enqueued(hinted) | Hint::Freed(hinted)) if hinted != queue => {
                }
                Ok(Hint::Queue(_) | Hint::Enqueued(_) | Hint::Freed(_) | Hint::Settings)
                | Err(RecvError::Lagged(_)) => return,
                Ok(Hint::Inbox(_) | Hint::Finished(_) | Hint::Intake | Hint::Logged(_) | Hint::Alerts) => {}
                Err(RecvError::Closed) => self.hints = None,
            }
        }
        std::future::pending::<()>().await;
    }

    fn forget_hints(&mut self) {
        if let Some(hints) = &mut self.hints {
            while matches!(hints.try_recv(), Ok(_) | Err(TryRecvError::Lagged(_))) {}
        }
    }

    fn record_worker(&self) {
        let now = self.pool.engine.now();
        self.pool.engine.record_worker(WorkerRecord {
            id: self.pool.options.worker_id.clone(),
            kind: "pool".to_owned(),
            tenant: None,
            job_types: self.job_types.clone().unwrap_or_default(),
            first_seen_at: now,
            last_seen_at: now,
            leased: 0,
            build: None,
            draining_at: None,
            slots: u32::try_from(self.pool.options.workers).ok(),
        });
    }
}

// The idle slots of a pool, offered to jobs that are being stored.
//
// Such a job is leased by the commit that stores it and comes here from the engine, past the dispatcher. Claims
// nothing.

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
