//! The eager start: jobs that come while a pool of this process has idle slots, or a poll waits, may be leased as they
//! are stored.
//!
//! The store decides whether they may. Here is only who has slots for them, and how they get there.

use std::sync::{Arc, Weak};

use domain::build::WorkerBuild;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use store::jobs::{ClaimRequest, ClaimedJob, Claimer, NewJob};

use crate::engine::Engine;
use crate::entropy::Entropy;
use crate::jobs::claim::{Claim, PoolClaim};
use crate::jobs::eager_polls::{TakenPolls, WaitingPolls};
use crate::jobs::node_leases::NodeLeases;
use crate::recorder;
use crate::stats::StatNotes;

/// A pool of this process, which reserves idle slots for jobs that are being stored.
pub trait SlotProvider: Send + Sync {
    /// Reserves slots for these jobs, or for some of them where fewer are idle; `None` where it has none for any.
    fn take(&self, jobs: &[&NewJob]) -> Option<Box<dyn ReservedSlots>>;
}

/// Slots that wait for jobs which are being stored. They are idle again when this is dropped.
pub trait ReservedSlots: Send {
    /// What the pool would claim for them.
    fn claim(&self) -> PoolClaim;

    /// Gives them jobs that were leased.
    fn start(self: Box<Self>, jobs: Vec<ClaimedJob>);
}

/// Who has idle slots in this process.
#[derive(Default)]
pub(crate) struct EagerPools {
    /// By queue. A pool that is gone is asked no more.
    pools: [Mutex<Option<Weak<dyn SlotProvider>>>; 4],
    /// For `workflow-node`, where the pool knows few job types.
    pub(super) polls: Arc<WaitingPolls>,
}

/// The way to the pool of one queue.
#[derive(Clone)]
pub(crate) struct EagerStarts {
    pools: Arc<EagerPools>,
    queue: QueueName,
    /// Whether the store ever leases jobs as it stores them.
    is_of_use: bool,
    node_leases: Arc<NodeLeases>,
    stats: Arc<StatNotes>,
    entropy: Arc<dyn Entropy>,
    lease: DurationMs,
}

/// Reserved slots for jobs that are about to be stored.
pub(crate) struct EagerStart {
    /// The claim under which the store may lease the jobs.
    pub(crate) claim: ClaimRequest,
    slots: EagerSlots,
    node_leases: Arc<NodeLeases>,
    stats: Arc<StatNotes>,
}

enum EagerSlots {
    Pool(Box<dyn ReservedSlots>),
    Polls(TakenPolls),
}

impl Engine {
    /// From now on jobs of this queue may be leased for these slots as they are stored.
    pub fn offer_slots(&self, queue: QueueName, slots: Weak<dyn SlotProvider>) {
        *self.memory().eager.pools[queue.code() as usize].lock() = Some(slots);
    }

    pub(crate) fn eager_starts(&self, queue: QueueName) -> EagerStarts {
        EagerStarts {
            pools: Arc::clone(&self.memory().eager),
            queue,
            is_of_use: self.store().starts_eagerly(),
            node_leases: Arc::clone(&self.memory().node_leases),
            stats: Arc::clone(&self.memory().stats),
            entropy: Arc::clone(self.entropy()),
            lease: self.policy().queue(queue).lease,
        }
    }
}

impl EagerStarts {
    /// Slots for some or all of these jobs of this queue, if there are any.
    pub(crate) fn take(&self, jobs: &[&NewJob], now: Timestamp) -> Option<EagerStart> {
        if !self.is_of_use {
            return None;
        }
        let (slots, asked, others) = self.of_pool(jobs).or_else(|| self.of_polls(jobs))?;
        let Claim { pool: PoolClaim { queue, jobs_max, worker_id, job_types }, tenant, build, lease } = asked;
        let tokens = self.entropy.tokens(jobs.len().min(jobs_max as usize));
        let claim =
            ClaimRequest { queue, tenant, job_types, build, jobs_max, lease, worker_id, others, tokens, now };
        let (node_leases, stats) = (Arc::clone(&self.node_leases), Arc::clone(&self.stats));
        Some(EagerStart { claim, slots, node_leases, stats })
    }

    fn of_pool(&self, jobs: &[&NewJob]) -> Option<(EagerSlots, Claim, Vec<Claimer>)> {
        let pool = self.pools.pools[self.queue.code() as usize].lock().as_ref()?.upgrade()?;
        let slots = pool.take(jobs)?;
        let claim = Claim { pool: slots.claim(), tenant: None, build: WorkerBuild::Any, lease: self.lease };
        Some((EagerSlots::Pool(slots), claim, Vec::new()))
    }

    fn of_polls(&self, jobs: &[&NewJob]) -> Option<(EagerSlots, Claim, Vec<Claimer>)> {
        let polls = if self.queue == QueueName::Node { self.pools.polls.take(jobs)? } else { return None };
        let (claim, others) = polls.claim()?;
        Some((EagerSlots::Polls(polls), claim, others))
    }
}

impl EagerStart {
    /// Dispatches what was leased to the reserved slots.
    pub(crate) fn start(self, mut leased: Vec<ClaimedJob>) {
        if !leased.is_empty() {
            recorder::claimed(&self.stats, &mut leased);
            // Jobs of nodes are stored by the owners of their executions, which are here.
            self.node_leases.remember(leased.iter());
            match self.slots {
                EagerSlots::Pool(slots) => slots.start(leased),
                EagerSlots::Polls(polls) => polls.start(leased, &self.claim.tokens),
            }
        }
    }
}
