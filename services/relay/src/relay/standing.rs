//! Offers that stand: those of a relay before are published again, and those that the broker does not have yet are kept.

use std::collections::HashSet;

use domain::dispatch::Standing;
use domain::id::{JobId, LeaseToken};
use domain::names::JobType;
use domain::time::DurationMs;
use engine::{EngineError, OFFERS_PER_CLAIM_MAX};
use store::jobs::{ClaimedJob, LeaseRef};

use super::Relay;

/// How many offers of a relay before this one are read at once.
const ADOPTED_AT_ONCE: usize = 500;

impl Relay {
    /// Publishes offers of a relay before this one again, under the ids that they had and in their order. Answers whether that
    /// were all: the next look finds the others, and nothing that came after them is claimed before.
    pub(super) async fn adopt(&mut self, unknown: &[Standing]) -> Result<bool, EngineError> {
        for chunk in unknown.chunks(ADOPTED_AT_ONCE) {
            let mut leases: Vec<LeaseRef> = chunk.iter().map(lease_of).collect();
            // What does not fit into one answer is at its end; what is not answered at all does not stand any more.
            loop {
                if self.is_full() {
                    return Ok(false);
                }
                let jobs = self.engine.offered_jobs(&leases).await?;
                if jobs.is_empty() {
                    break;
                }
                if !self.has_topics(&types_of(&jobs)).await {
                    return Ok(false);
                }
                tracing::info!(
                    offers = jobs.len(),
                    "offers that were not known to be published are published again"
                );
                let taken: HashSet<JobId> = jobs.iter().map(|job| job.id).collect();
                leases.retain(|lease| !taken.contains(&lease.id));
                self.take(jobs);
                if leases.is_empty() {
                    break;
                }
            }
        }
        Ok(true)
    }

    /// Offers that the broker does not have yet stay: that it is away is no reason to give them back.
    pub(super) async fn keep_unpublished(&mut self) -> Result<(), EngineError> {
        let timeout = self.options.offer_timeout;
        let before = self.engine.now().plus(DurationMs(timeout.0 / 2));
        let ending = self.book.to_keep(before);
        self.keep(&ending).await
    }

    /// Lets offers stand for as long as they may.
    pub(super) async fn keep(&mut self, offers: &[(JobId, LeaseToken)]) -> Result<(), EngineError> {
        let leases: Vec<LeaseRef> = offers.iter().map(|&(id, token)| LeaseRef { id, token }).collect();
        for chunk in leases.chunks(OFFERS_PER_CLAIM_MAX as usize) {
            let ends = self.engine.keep_offers(chunk, self.options.offer_timeout).await?;
            for (lease, end) in chunk.iter().zip(ends) {
                self.book.moved(lease.id, lease.token, end);
            }
        }
        Ok(())
    }
}

fn lease_of(offer: &Standing) -> LeaseRef {
    LeaseRef { id: offer.id, token: offer.token }
}

fn types_of(jobs: &[ClaimedJob]) -> Vec<JobType> {
    let mut types: Vec<JobType> = jobs.iter().map(|job| job.job_type.clone()).collect();
    types.sort();
    types.dedup();
    types
}
