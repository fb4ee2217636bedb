//! What a relay does in the store: it leases shards, claims offers, keeps them, and ends those that cannot be published.
//!
//! Relays run within the server and ask for nobody's permission.

use domain::build::WorkerBuild;
use domain::dispatch::{ShardView, holder_of};
use domain::failure::{DeadReason, JobError};
use domain::job::Disposition;
use domain::names::JobType;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use domain::workflow::execution::JOB_TYPE_RESERVED_PREFIX;
use store::dispatch::{RelayView, StandingOffer};
use store::jobs::{ClaimRequest, ClaimedJob, JOBS_PER_CLAIM_MAX, LeaseAnswer, LeaseRef, Settlement};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::fail_points;
use crate::recorder;

/// How many offers one claim makes at most.
pub const OFFERS_PER_CLAIM_MAX: u32 = JOBS_PER_CLAIM_MAX;

/// How many lanes with waiting jobs are looked at for their types.
const LANES_MAX: u32 = 10_000;

/// An offer that the broker refuses for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedOffer {
    /// The offer.
    pub offer: LeaseRef,
    /// A stable word: `message_too_large`, `topic_unknown`, …
    pub code: &'static str,
    /// What the broker said.
    pub message: String,
}

impl Engine {
    /// What a relay looks at each time.
    pub async fn relay_view(&self) -> Result<RelayView, EngineError> {
        Ok(self.store().relay_view(self.now()).await?)
    }

    /// Whether relays make no more offers.
    pub async fn is_dispatch_draining(&self) -> Result<bool, EngineError> {
        Ok(self.store().is_dispatch_draining().await?)
    }

    /// Leases shards for the relay of this process, for so long from now on. Answers those that it got.
    pub async fn lease_shards(
        &self,
        shards: &[u32],
        span: DurationMs,
    ) -> Result<Vec<ShardView>, EngineError> {
        let now = self.now();
        let leased = self.store().lease_shards(self.process(), shards, now.plus(span), now).await?;
        fail_points::reach("shards-leased");
        Ok(leased)
    }

    /// Gives shards back.
    pub async fn release_shards(&self, shards: &[u32]) -> Result<(), EngineError> {
        Ok(self.store().release_shards(self.process(), shards).await?)
    }

    /// This process, as the owner of shards.
    pub fn relay_id(&self) -> uuid::Uuid {
        self.process()
    }

    /// The types of waiting jobs that outside workers take.
    pub async fn offerable_types(&self) -> Result<Vec<JobType>, EngineError> {
        let mut types = self.store().claimable_types(QueueName::Node, LANES_MAX).await?;
        types.retain(|job_type| !job_type.as_str().starts_with(JOB_TYPE_RESERVED_PREFIX));
        Ok(types)
    }

    /// Claims offers of a shard: they stand for so long.
    pub async fn claim_offers(
        &self,
        shard: u32,
        job_types: Vec<JobType>,
        jobs_max: u32,
        stands: DurationMs,
    ) -> Result<Vec<ClaimedJob>, EngineError> {
        let request = ClaimRequest {
            build: WorkerBuild::Any,
            queue: QueueName::Node,
            tenant: None,
            job_types: Some(job_types),
            jobs_max,
            lease: stands,
            worker_id: holder_of(shard),
            others: Vec::new(),
            tokens: self.entropy().tokens(jobs_max as usize),
            now: self.now(),
        };
        let mut jobs = self.store().claim(&request).await?;
        fail_points::reach("offer-claimed");
        recorder::claimed(&self.memory().stats, &mut jobs);
        Ok(jobs)
    }

    /// To be reached when the broker has a message and before anything is done about it.
    pub fn offer_published(&self) {
        fail_points::reach("offer-published");
    }

    /// The offers of these shards that stand.
    pub async fn standing_offers(&self, shards: &[u32]) -> Result<Vec<StandingOffer>, EngineError> {
        let holders: Vec<_> = shards.iter().copied().map(holder_of).collect();
        Ok(self.store().standing_offers(&holders).await?)
    }

    /// Which of these offers stand, in order.
    pub async fn standing_among(&self, offers: &[LeaseRef]) -> Result<Vec<bool>, EngineError> {
        Ok(self.store().standing_among(offers).await?)
    }

    /// The jobs of offers that stand, as their claim answered them.
    pub async fn offered_jobs(&self, offers: &[LeaseRef]) -> Result<Vec<ClaimedJob>, EngineError> {
        let jobs = self.store().offered_jobs(offers).await?;
        fail_points::reach("offers-read");
        Ok(jobs)
    }

    /// Lets offers stand for so long from now on. Answers in order with the new ends; `None` for those that are gone.
    pub async fn keep_offers(
        &self,
        offers: &[LeaseRef],
        stands: DurationMs,
    ) -> Result<Vec<Option<Timestamp>>, EngineError> {
        let answers = self.store().keep_offers(offers, stands, self.now()).await?;
        Ok(answers.iter().map(|answer| answer.ok().copied()).collect())
    }

    /// Makes dead letters of jobs that the broker refuses for good. Those that were taken meanwhile stay as they are.
    pub async fn refuse_offers(&self, refused: Vec<RefusedOffer>) -> Result<Vec<LeaseAnswer>, EngineError> {
        let settlements: Vec<Settlement> = refused
            .into_iter()
            .map(|refused| Settlement {
                lease: refused.offer,
                disposition: Disposition::Die {
                    reason: DeadReason::NonRetryable,
                    error: JobError::coded(refused.code, &refused.message).bounded(),
                },
            })
            .collect();
        fail_points::reach("offer-refused-before");
        let answers = self.commit_settlements(&settlements, self.now()).await?;
        fail_points::reach("offer-refused-after");
        Ok(answers)
    }
}
