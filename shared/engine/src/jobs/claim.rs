//! Claim jobs for one of our own pools.

use std::time::Duration;

use domain::build::WorkerBuild;
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::DurationMs;
use store::jobs::{ClaimRequest, ClaimedJob};

use crate::engine::Engine;
use crate::error::EngineError;
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
