//! Polls that wait are idle slots, too: a job that comes may be leased for one of them as it is stored.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use store::jobs::{ClaimedJob, NewJob};
use tokio::sync::oneshot;

use crate::engine::Engine;
use crate::jobs::claim::Claim;
use crate::jobs::polled::PolledJobs;

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
    engine: Engine,
    jobs: oneshot::Sender<PolledJobs>,
}

/// A place among the waiting polls. Dropped, it is given up; jobs that are being leased for it go back.
pub(super) struct PollPlace {
    number: u64,
    polls: Arc<WaitingPolls>,
    /// Resolves with jobs that were leased eagerly.
    pub(super) jobs: oneshot::Receiver<PolledJobs>,
}

impl WaitingPolls {
    /// Lets a poll wait for jobs that come.
    pub(super) fn join(self: &Arc<Self>, engine: &Engine, claim: Claim) -> PollPlace {
        let (sender, jobs) = oneshot::channel();
        let mut line = self.0.lock();
        line.last += 1;
        let number = line.last;
        line.waiting.push_back(Waiting { number, claim, engine: engine.clone(), jobs: sender });
        PollPlace { number, polls: Arc::clone(self), jobs }
    }

    /// The poll that has waited longest of those that take any of these jobs.
    pub(super) fn take(self: &Arc<Self>, jobs: &[&NewJob]) -> Option<TakenPoll> {
        let mut line = self.0.lock();
        let place = line.waiting.iter().position(|waiting| waiting.takes(jobs))?;
        let waiting = line.waiting.remove(place);
        waiting.is_some().then(|| TakenPoll { polls: Arc::clone(self), waiting })
    }
}

impl Waiting {
    fn takes(&self, jobs: &[&NewJob]) -> bool {
        let Claim { pool, tenant, .. } = &self.claim;
        let is_asked_for = |job: &&NewJob| {
            tenant.as_ref().is_none_or(|tenant| *tenant == job.tenant)
                && pool.job_types.as_ref().is_none_or(|types| types.contains(&job.job_type))
        };
        jobs.iter().any(is_asked_for)
    }
}

/// A poll that jobs are being stored for. It waits on when this is dropped.
pub(super) struct TakenPoll {
    polls: Arc<WaitingPolls>,
    /// `None` once it got its jobs.
    waiting: Option<Waiting>,
}

impl TakenPoll {
    /// What it asks for.
    pub(super) fn claim(&self) -> Option<Claim> {
        self.waiting.as_ref().map(|waiting| waiting.claim.clone())
    }

    /// Answers it. If it is gone by now, the jobs go back to their queue.
    pub(super) fn start(mut self, jobs: Vec<ClaimedJob>) {
        if let Some(Waiting { engine, jobs: sender, .. }) = self.waiting.take() {
            drop(sender.send(PolledJobs::new(&engine, jobs)));
        }
    }
}

impl Drop for TakenPoll {
    fn drop(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            let mut line = self.polls.0.lock();
            // Asked under the lock: a poll that leaves closes first and looks for its place afterwards.
            if !waiting.jobs.is_closed() {
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
}

impl Drop for PollPlace {
    fn drop(&mut self) {
        self.jobs.close();
        self.polls.0.lock().waiting.retain(|waiting| waiting.number != self.number);
    }
}
