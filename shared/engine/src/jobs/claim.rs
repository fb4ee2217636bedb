//! Claim jobs for one of our own pools.

use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::DurationMs;
use store::jobs::{ClaimRequest, ClaimedJob};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

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
    pub(crate) lease: DurationMs,
}

impl Engine {
    /// Claims jobs under the queue's own lease. Answers in the order in which they are to be started.
    pub async fn claim(&self, claim: PoolClaim) -> Result<Vec<ClaimedJob>, EngineError> {
        let lease = self.policy().queue(claim.queue).lease;
        self.claim_now(Claim { pool: claim, tenant: None, lease }).await
    }

    pub(crate) async fn claim_now(&self, claim: Claim) -> Result<Vec<ClaimedJob>, EngineError> {
        let Claim { pool, tenant, lease } = claim;
        if pool.jobs_max == 0 {
            return Ok(Vec::new());
        }
        let request = ClaimRequest {
            queue: pool.queue,
            tenant,
            job_types: pool.job_types,
            jobs_max: pool.jobs_max,
            lease,
            worker_id: pool.worker_id,
            tokens: self.entropy().tokens(pool.jobs_max as usize),
            now: self.now(),
        };
        let jobs = self.store().claim(&request).await?;
        metrics::claimed(request.queue, jobs.len());
        if request.queue == QueueName::Node {
            self.remember_claimed(&jobs, request.now);
        }
        Ok(jobs)
    }
}
