//! The eager start: jobs that come while a pool of this process has idle slots, or a poll waits, may be leased as they
//! are stored.
//!
//! The store decides whether they may. Here is only who has slots for them, and how they get there.

mod offer;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};

use domain::build::WorkerBuild;
use domain::id::LeaseToken;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use store::jobs::{ClaimRequest, ClaimedJob, Claimer, NewJob};
use tokio::sync::{Notify, oneshot};

use crate::entropy::Entropy;
use crate::jobs::node_leases::NodeLeases;
use crate::jobs::polled::{PolledJobs, ReturnPath};
use crate::jobs::request::{Claim, PoolClaim};
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

// Polls that wait are idle slots, too: a job that comes may be leased for one of them as it is stored.

/// The polls of this process that wait for jobs of `workflow-node`, the longest first.
#[derive(Default)]
pub(crate) struct WaitingPolls(Mutex<PollQueue>);

#[derive(Default)]
struct PollQueue {
    waiting: VecDeque<Waiting>,
    /// The number of the last poll: each has its own.
    last: u64,
}

/// A poll that waits.
struct Waiting {
    number: u64,
    claim: Claim,
    return_path: ReturnPath,
    jobs: oneshot::Sender<PolledJobs>,
    /// Wakes when jobs that were being stored for it were not leased after all.
    returned: Arc<Notify>,
}

/// A place among the waiting polls. Dropped, it is given up; jobs that are being leased for it go back.
pub(super) struct PollPlace {
    number: u64,
    polls: Arc<WaitingPolls>,
    /// Resolves with jobs that were leased eagerly.
    pub(super) jobs: oneshot::Receiver<PolledJobs>,
    returned: Arc<Notify>,
}

impl WaitingPolls {
    /// Lets a poll wait for jobs that come.
    pub(super) fn join(self: &Arc<Self>, return_path: ReturnPath, claim: Claim) -> PollPlace {
        let (sender, jobs) = oneshot::channel();
        let returned = Arc::new(Notify::new());
        let mut line = self.0.lock();
        line.last += 1;
        let number = line.last;
        line.waiting.push_back(Waiting {
            number,
            claim,
            return_path,
            jobs: sender,
            returned: Arc::clone(&returned),
        });
        PollPlace { number, polls: Arc::clone(self), jobs, returned }
    }

    /// The poll that has waited longest of those that take any of these jobs; where it has not room for all that it
    /// takes, those behind it that ask for the same, too.
    pub(super) fn take(self: &Arc<Self>, jobs: &[&NewJob]) -> Option<TakenPolls> {
        let mut line = self.0.lock();
        let mut place = line.waiting.iter().position(|waiting| waiting.takes(jobs) > 0)?;
        let mut taken = Vec::new();
        let (mut room, mut wanted) = (0, 1);
        while room < wanted
            && let Some(waiting) = line.waiting.remove(place)
        {
            wanted = waiting.takes(jobs);
            room += waiting.claim.pool.jobs_max as usize;
            let next = line.waiting.iter().skip(place).position(|other| other.asks_as(&waiting));
            place += next.unwrap_or(line.waiting.len());
            taken.push(TakenPoll { polls: Arc::clone(self), waiting: Some(waiting) });
        }
        Some(TakenPolls(taken))
    }
}

impl Waiting {
    /// How many of these jobs it asks for.
    fn takes(&self, jobs: &[&NewJob]) -> usize {
        let Claim { pool, tenant, .. } = &self.claim;
        let is_asked_for = |job: &&&NewJob| {
            tenant.as_ref().is_none_or(|tenant| *tenant == job.tenant)
                && pool.job_types.as_ref().is_none_or(|types| types.contains(&job.job_type))
        };
        jobs.iter().filter(is_asked_for).count()
    }

    /// Whether one claim can serve both.
    fn asks_as(&self, other: &Self) -> bool {
        let (own, other) = (&self.claim, &other.claim);
        own.pool.job_types == other.pool.job_types
            && own.tenant == other.tenant
            && own.build == other.build
            && own.lease == other.lease
    }
}

/// Polls that ask for the same and that jobs are being stored for; at least one. They wait on, in their order, when this
/// is dropped.
pub(super) struct TakenPolls(Vec<TakenPoll>);

impl TakenPolls {
    /// What the first asks for, with room for the jobs of all; and the others, in the order of their tokens.
    pub(super) fn claim(&self) -> Option<(Claim, Vec<Claimer>)> {
        let mut claims =
            self.0.iter().filter_map(|poll| poll.waiting.as_ref()).map(|waiting| &waiting.claim.pool);
        let mut first = self.0.first()?.waiting.as_ref()?.claim.clone();
        let mut others = Vec::new();
        claims.next();
        for pool in claims {
            let first_token = first.pool.jobs_max as usize;
            others.push(Claimer { worker_id: pool.worker_id.clone(), first_token });
            first.pool.jobs_max += pool.jobs_max;
        }
        Some((first, others))
    }

    /// Answers each poll with the jobs that have its tokens.
    pub(super) fn start(mut self, jobs: Vec<ClaimedJob>, tokens: &[LeaseToken]) {
        let owners = self.0.iter().enumerate().flat_map(|(place, poll)| {
            let jobs_max = poll.waiting.as_ref().map_or(0, |waiting| waiting.claim.pool.jobs_max);
            std::iter::repeat_n(place, jobs_max as usize)
        });
        let owner_of: HashMap<LeaseToken, usize> = tokens.iter().copied().zip(owners).collect();
        let mut shares: Vec<Vec<ClaimedJob>> = self.0.iter().map(|_| Vec::new()).collect();
        for job in jobs {
            shares[owner_of.get(&job.token).copied().unwrap_or(0)].push(job);
        }
        // The last first, so that those who get nothing are put back in their order.
        while let (Some(poll), Some(jobs)) = (self.0.pop(), shares.pop()) {
            if !jobs.is_empty() {
                poll.start(jobs);
            }
        }
    }
}

impl Drop for TakenPolls {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// A poll that jobs are being stored for. It waits on when this is dropped.
struct TakenPoll {
    polls: Arc<WaitingPolls>,
    /// `None` once it got its jobs.
    waiting: Option<Waiting>,
}

impl TakenPoll {
    /// Answers it. If it is gone by now, the jobs go back to their queue.
    fn start(mut self, jobs: Vec<ClaimedJob>) {
        if let Some(Waiting { return_path, jobs: sender, .. }) = self.waiting.take() {
            drop(sender.send(PolledJobs::new(return_path, jobs)));
        }
    }
}

impl Drop for TakenPoll {
    fn drop(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            let mut line = self.polls.0.lock();
            // Asked under the lock: a poll that leaves closes first and looks for its place afterwards.
            if !waiting.jobs.is_closed() {
                waiting.returned.notify_one();
                line.waiting.push_front(waiting);
            }
        }
    }
}

impl PollPlace {
    /// Gives the place up; answers jobs that had come already.
    pub(super) fn leave(mut self) -> Option<PolledJobs> {
        self.jobs.close();
        self.jobs.try_recv().ok()
    }

    /// The same, but jobs that are being stored for it at this moment are waited for: a poll that leaves meanwhile
    /// would send them back to their queue.
    pub(super) async fn leave_settled(mut self) -> Option<PolledJobs> {
        loop {
            if self.is_in_line() {
                return self.leave();
            }
            tokio::select! {
                // Taken out of the line, it is answered or put back.
                jobs = &mut self.jobs => return jobs.ok(),
                () = self.returned.notified() => {}
            }
        }
    }

    fn is_in_line(&self) -> bool {
        self.polls.0.lock().waiting.iter().any(|waiting| waiting.number == self.number)
    }
}

impl Drop for PollPlace {
    fn drop(&mut self) {
        self.jobs.close();
        self.polls.0.lock().waiting.retain(|waiting| waiting.number != self.number);
    }
}
