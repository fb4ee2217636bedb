//! Claim jobs for one of our own pools; polls that ask for the same claim together.

use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::build::WorkerBuild;
use domain::id::LeaseToken;
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::DurationMs;
use parking_lot::Mutex;
use store::StoreError;
use store::jobs::{ClaimRequest, ClaimedJob, Claimer, JOBS_PER_CLAIM_MAX};
use tokio::sync::oneshot;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::poll::PolledJobs;
use crate::recorder;

/// What a pool asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolClaim {
    /// The queue.
    pub queue: QueueName,
    /// How many at most.
    pub jobs_max: u32,
    /// The pool's name.
    pub worker_id: WorkerId,
    /// Only these job types; `None` takes every type.
    pub job_types: Option<Vec<JobType>>,
}

/// Any claim, filled in.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) pool: PoolClaim,
    pub(crate) tenant: Option<TenantName>,
    pub(crate) build: WorkerBuild,
    pub(crate) lease: DurationMs,
}

/// What the clock of the store and this process may differ by.
const START_MARGIN: Duration = Duration::from_millis(1);

impl Engine {
    /// In how long the first of the rates has room again that kept jobs of a queue from claims of this process; `None`
    /// where none did.
    pub fn next_start_in(&self, queue: QueueName) -> Option<Duration> {
        let now = self.now();
        self.store().next_start(queue, now).map(|at| at.since(now).to_std() + START_MARGIN)
    }

    /// Resolves when that is so.
    pub async fn next_start(&self, queue: QueueName) {
        match self.next_start_in(queue) {
            Some(wait) => tokio::time::sleep(wait).await,
            None => std::future::pending().await,
        }
    }

    /// Claims jobs under the queue's own lease. Answers in the order in which they are to be started.
    pub async fn claim(&self, claim: PoolClaim) -> Result<Vec<ClaimedJob>, EngineError> {
        let PoolClaim { queue, jobs_max, worker_id, job_types } = claim;
        if jobs_max == 0 {
            return Ok(Vec::new());
        }
        let request = ClaimRequest {
            build: WorkerBuild::Any,
            queue,
            tenant: None,
            job_types,
            jobs_max,
            lease: self.policy().queue(queue).lease,
            worker_id,
            others: Vec::new(),
            tokens: self.entropy().tokens(jobs_max as usize),
            now: self.now(),
        };
        let mut jobs = self.store().claim(&request).await?;
        recorder::claimed(&self.memory().stats, &mut jobs);
        if request.queue == QueueName::Node {
            let memory = self.memory();
            memory.node_leases.remember_claimed(&memory.waiters, &jobs);
        }
        Ok(jobs)
    }
}

// Claims of polls: those that ask for the same and come while others claim are made together by the next claim.
//
// Each claim is a commit, and claims of a node take turns. Many workers that each poll for few jobs would wait for one
// another's commits otherwise. Polls that ask for different things never wait for one another here. Decides only who
// gets which job; how many there are is the store's business.

/// How many claims of one line may be under way at once, so that one that has to list the lanes first does not hold up
/// those that come meanwhile.
const CLAIMS_AT_ONCE: usize = 2;

/// For so long somebody is claimed for again who got nothing while others did.
const WAIT_MAX: Duration = Duration::from_secs(1);

/// How long a claim may take, with what it looks up before and after; the store itself gives up sooner.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(15);

/// What polls ask for, their number of jobs apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct LineKey {
    queue: QueueName,
    tenant: Option<TenantName>,
    job_types: Option<Vec<JobType>>,
    build: WorkerBuild,
    lease: DurationMs,
}

/// Polls of this process that are about to claim.
#[derive(Default)]
pub(crate) struct PollBatcher(Mutex<HashMap<LineKey, PollQueue>>);

/// Those that ask for the same.
#[derive(Default)]
struct PollQueue {
    waiting: VecDeque<Waiting>,
    claims_under_way: usize,
}

/// A poll that is about to claim.
struct Waiting {
    worker_id: WorkerId,
    jobs_max: u32,
    since: Instant,
    answer: oneshot::Sender<Result<PolledJobs, EngineError>>,
}

impl Engine {
    /// Claims for a poll. Jobs for a caller that is gone by then go back.
    pub(super) async fn claim_together(&self, claim: Claim) -> Result<PolledJobs, EngineError> {
        let Claim { pool, tenant, build, lease } = claim;
        let (answer, answered) = oneshot::channel();
        let (worker_id, jobs_max) = (pool.worker_id, pool.jobs_max);
        let waiting = Waiting { worker_id, jobs_max, since: Instant::now(), answer };
        let key = LineKey { queue: pool.queue, tenant, job_types: pool.job_types, build, lease };
        if let Some(turn) = PollBatcher::join(&self.memory().claims, key, waiting) {
            let engine = self.clone();
            // A task of its own: a caller that hangs up half-way must not leave claimed jobs to nobody.
            tokio::spawn(async move { engine.claim_for_line(turn).await });
        }
        tokio::select! {
            answer = answered => answer.unwrap_or_else(|closed| Err(unavailable(closed).into())),
            () = self.shutdown().cancelled() => Ok(PolledJobs::new(self, Vec::new())),
        }
    }

    /// Claims for those who wait in a line until nobody does.
    async fn claim_for_line(&self, mut turn: Turn) {
        while let Some(mut group) = turn.next_group() {
            let claimed = tokio::time::timeout(CLAIM_TIMEOUT, self.claim_for_group(&turn.key, &group)).await;
            match claimed.unwrap_or_else(|elapsed| Err(unavailable(elapsed))) {
                Ok((tokens, jobs)) => {
                    for (waiting, jobs) in share(&mut group, &tokens, jobs) {
                        drop(waiting.answer.send(Ok(PolledJobs::new(self, jobs))));
                    }
                    turn.put_back(group);
                }
                Err(error) => fail(group, error),
            }
        }
    }

    /// Makes one claim; answers its tokens, too.
    async fn claim_for_group(
        &self,
        key: &LineKey,
        group: &[Waiting],
    ) -> Result<(Vec<LeaseToken>, Vec<ClaimedJob>), StoreError> {
        let mut claimers = Vec::with_capacity(group.len());
        let mut jobs_max = 0;
        for waiting in group {
            claimers.push(Claimer { worker_id: waiting.worker_id.clone(), first_token: jobs_max as usize });
            jobs_max += waiting.jobs_max;
        }
        let worker_id = claimers.remove(0).worker_id;
        let request = ClaimRequest {
            queue: key.queue,
            tenant: key.tenant.clone(),
            job_types: key.job_types.clone(),
            build: key.build.clone(),
            jobs_max,
            lease: key.lease,
            worker_id,
            others: claimers,
            tokens: self.entropy().tokens(jobs_max as usize),
            now: self.now(),
        };
        let mut jobs = self.store().claim(&request).await?;
        recorder::claimed(&self.memory().stats, &mut jobs);
        let memory = self.memory();
        memory.node_leases.remember_claimed(&memory.waiters, &jobs);
        Ok((request.tokens, jobs))
    }
}

impl PollBatcher {
    /// Joins a line; answers a turn where a claim is to be begun for it.
    fn join(lines: &Arc<Self>, key: LineKey, waiting: Waiting) -> Option<Turn> {
        let mut all = lines.0.lock();
        let line = all.entry(key.clone()).or_default();
        line.waiting.push_back(waiting);
        if line.claims_under_way >= CLAIMS_AT_ONCE {
            return None;
        }
        line.claims_under_way += 1;
        Some(Turn { lines: Arc::clone(lines), key, is_over: false })
    }
}

/// One of the claims that may be under way for a line. Given up when nobody waits, and when it is dropped before.
struct Turn {
    lines: Arc<PollBatcher>,
    key: LineKey,
    is_over: bool,
}

impl Turn {
    /// The longest waiting, as many as one claim can serve, without those that hung up; `None` where nobody waits, and
    /// the turn is over then: whoever comes next begins another.
    fn next_group(&mut self) -> Option<Vec<Waiting>> {
        let mut lines = self.lines.0.lock();
        let waiting = &mut lines.get_mut(&self.key)?.waiting;
        waiting.retain(|waiting| !waiting.answer.is_closed());
        let Some(first) = waiting.pop_front() else {
            self.is_over = true;
            leave(&mut lines, &self.key);
            return None;
        };
        let mut jobs_max = first.jobs_max;
        let mut group = vec![first];
        while let Some(next) = waiting.pop_front_if(|next| jobs_max + next.jobs_max <= JOBS_PER_CLAIM_MAX) {
            jobs_max += next.jobs_max;
            group.push(next);
        }
        Some(group)
    }

    /// Puts those back in front who are to be claimed for again.
    fn put_back(&self, group: Vec<Waiting>) {
        if let Some(line) = self.lines.0.lock().get_mut(&self.key) {
            group.into_iter().rev().for_each(|waiting| line.waiting.push_front(waiting));
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_over {
            leave(&mut self.lines.0.lock(), &self.key);
        }
    }
}

/// Ends one claim of a line. After the last one nobody is left in it, but for a panic: those are answered by the loss
/// of the line.
fn leave(lines: &mut HashMap<LineKey, PollQueue>, key: &LineKey) {
    if let Some(line) = lines.get_mut(key) {
        line.claims_under_way -= 1;
        if line.claims_under_way == 0 {
            lines.remove(key);
        }
    }
}

/// Gives each its jobs, by their tokens, and takes out of the group who got any; all where there were none, and those
/// who have waited for long. The others are to be claimed for again: a claim ends short where payloads are large. Where
/// somebody has as many as were asked for, the next who has room gets a job.
fn share(
    group: &mut Vec<Waiting>,
    tokens: &[LeaseToken],
    jobs: Vec<ClaimedJob>,
) -> Vec<(Waiting, Vec<ClaimedJob>)> {
    let owners = group
        .iter()
        .enumerate()
        .flat_map(|(place, waiting)| std::iter::repeat_n(place, waiting.jobs_max as usize));
    let is_over = jobs.is_empty();
    let owner_of: HashMap<LeaseToken, usize> = tokens.iter().copied().zip(owners).collect();
    let mut shares: Vec<Vec<ClaimedJob>> = group.iter().map(|_| Vec::new()).collect();
    for job in jobs {
        let has_room = |place: &usize| shares[*place].len() < group[*place].jobs_max as usize;
        let owner = owner_of.get(&job.token).copied().filter(|place| has_room(place));
        let place = owner.or_else(|| (0..group.len()).find(|place| has_room(place))).unwrap_or(0);
        shares[place].push(job);
    }
    let (served, unserved): (Vec<_>, Vec<_>) = group
        .drain(..)
        .zip(shares)
        .partition(|(waiting, jobs)| is_over || !jobs.is_empty() || waiting.since.elapsed() >= WAIT_MAX);
    group.extend(unserved.into_iter().map(|(waiting, _)| waiting));
    served
}

/// Answers each that the claim failed; the first gets the error itself.
fn fail(group: Vec<Waiting>, error: StoreError) {
    let shared = error.to_string();
    let mut error = Some(error);
    for waiting in group {
        let error = error.take().unwrap_or_else(|| StoreError::Unavailable { source: shared.clone().into() });
        drop(waiting.answer.send(Err(error.into())));
    }
}

fn unavailable(source: impl Error + Send + Sync + 'static) -> StoreError {
    StoreError::Unavailable { source: Box::new(source) }
}

#[cfg(test)]
mod tests;
