//! Claim jobs for one of our own pools; polls that ask for the same claim together.

mod batcher;

use std::time::{Duration, Instant};

use domain::build::WorkerBuild;
use domain::id::LeaseToken;
use domain::queue::QueueName;
use store::StoreError;
use store::jobs::{ClaimRequest, ClaimedJob, Claimer};
use tokio::sync::oneshot;

use super::request::{Claim, PoolClaim};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::polled::PolledJobs;
use crate::recorder;
use batcher::{LineKey, Turn, Waiting, fail, share, unavailable};

pub(crate) use batcher::PollBatcher;

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

/// How long a claim may take, with what it looks up before and after; the store itself gives up sooner.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(15);

impl Engine {
    /// Claims for a poll. Jobs for a caller that is gone by then go back.
    pub(super) async fn claim_together(&self, claim: Claim) -> Result<PolledJobs, EngineError> {
        let Claim { pool, tenant, build, lease } = claim;
        let (answer, answered) = oneshot::channel();
        let (worker_id, jobs_max) = (pool.worker_id, pool.jobs_max);
        let waiting = Waiting { worker_id, jobs_max, since: Instant::now(), is_again: false, answer };
        let key = LineKey { queue: pool.queue, tenant, job_types: pool.job_types, build, lease };
        if let Some(turn) = PollBatcher::join(&self.memory().claims, key, waiting) {
            let engine = self.clone();
            // A task of its own: a caller that hangs up half-way must not leave claimed jobs to nobody.
            tokio::spawn(async move { engine.claim_for_line(turn).await });
        }
        tokio::select! {
            answer = answered => answer.unwrap_or_else(|closed| Err(unavailable(closed).into())),
            () = self.shutdown().cancelled() => Ok(PolledJobs::new(self.return_path(), Vec::new())),
        }
    }

    /// Claims for those who wait in a line until nobody does.
    async fn claim_for_line(&self, mut turn: Turn) {
        loop {
            let _alone = turn.begin().await;
            let Some(mut group) = turn.next_group() else { return };
            let claimed = tokio::time::timeout(CLAIM_TIMEOUT, self.claim_for_group(&turn.key, &group)).await;
            match claimed.unwrap_or_else(|elapsed| Err(unavailable(elapsed))) {
                Ok((tokens, jobs)) => {
                    for (waiting, jobs) in share(&mut group, &tokens, jobs) {
                        drop(waiting.answer.send(Ok(PolledJobs::new(self.return_path(), jobs))));
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

#[cfg(test)]
mod tests;
