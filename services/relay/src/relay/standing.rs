//! Offers that stand: those of a relay before are published again, those that the broker does not have yet are kept, and of
//! types that wait for room it is found out which were taken.

use std::collections::HashSet;

use domain::dispatch::Standing;
use domain::id::{JobId, LeaseToken};
use domain::names::JobType;
use domain::time::DurationMs;
use engine::{EngineError, OFFERS_PER_CLAIM_MAX};
use store::dispatch::StandingOffer;
use store::jobs::LeaseRef;
use tokio::time::Instant;

use super::Relay;

/// How many offers of a relay before this one are read at once.
const ADOPTED_AT_ONCE: usize = 500;

/// About how many offers one statement asks.
const ASKED_AT_ONCE: usize = 1_000;

/// About how many offers one look asks at most.
const ASKED_PER_LOOK: usize = 10_000;

/// Reading all that stand takes this part of the time at most: it takes as long as the queue has leases, and nothing is claimed
/// meanwhile.
const COMPARED_SHARE: u32 = 20;

impl Relay {
    /// Compares with all that stands in the store, and publishes again what a relay before this one left. Answers whether that
    /// was all: what comes after it is not claimed before.
    pub(super) async fn compare(&mut self, shards: &[u32]) -> Result<bool, EngineError> {
        let began = Instant::now();
        let standing = self.engine.standing_offers(shards).await?;
        self.compare_at = Instant::now() + self.options.compare_every.max(began.elapsed() * COMPARED_SHARE);
        let standing: Vec<Standing> = standing.into_iter().map(standing_of).collect();
        let now = self.engine.now();
        let unknown = self.book.compare(&standing, now);
        self.book.tidy(now);
        if self.is_away { Ok(unknown.is_empty()) } else { self.adopt(unknown).await }
    }

    /// Publishes offers of a relay before this one again, under the ids that they had and in their order. Those of types whose
    /// topics are not there wait for them, and nothing else of these types is claimed before.
    async fn adopt(&mut self, mut unknown: Vec<Standing>) -> Result<bool, EngineError> {
        let types: HashSet<JobType> = unknown.iter().map(|offer| offer.job_type.clone()).collect();
        self.deferred.clone_from(&types);
        for job_type in self.topics.ready(types.into_iter().collect(), &self.options.topics, &self.publisher)
        {
            self.deferred.remove(&job_type);
        }
        unknown.retain(|offer| !self.deferred.contains(&offer.job_type));
        for chunk in unknown.chunks(ADOPTED_AT_ONCE) {
            let mut leases: Vec<LeaseRef> =
                chunk.iter().map(|offer| lease_of((offer.id, offer.token))).collect();
            // What does not fit into one answer is at its end; what is not answered at all does not stand any more.
            while !leases.is_empty() {
                if self.is_full() {
                    return Ok(false);
                }
                let jobs = self.engine.offered_jobs(&leases).await?;
                if jobs.is_empty() {
                    break;
                }
                tracing::info!(
                    offers = jobs.len(),
                    "offers without a confirmed publication are published again"
                );
                let taken: HashSet<JobId> = jobs.iter().map(|job| job.id).collect();
                leases.retain(|lease| !taken.contains(&lease.id));
                self.take(jobs);
            }
        }
        Ok(true)
    }

    /// Finds out which offers were taken of types that wait for room. Answers how many.
    pub(super) async fn find_taken(&mut self, waiting: &[JobType]) -> Result<usize, EngineError> {
        let (mut taken, mut left) = (0, ASKED_PER_LOOK);
        // Others are first each time, where they are too many for one look.
        let mut waiting = waiting.to_vec();
        let first = self.asked_types.checked_rem(waiting.len()).unwrap_or(0);
        waiting.rotate_left(first);
        for job_type in self.book.short_of_room(&waiting, self.options.window, self.engine.now()) {
            if left == 0 {
                break;
            }
            self.asked_types = self.asked_types.wrapping_add(1);
            let mut walk = self.book.walk(&job_type);
            loop {
                let asked = self.book.to_ask(&walk, ASKED_AT_ONCE.min(left));
                if asked.is_empty() {
                    break;
                }
                left -= asked.len();
                let leases: Vec<LeaseRef> = asked.iter().copied().map(lease_of).collect();
                let stand = self.engine.standing_among(&leases).await?;
                taken += self.book.answered(&mut walk, &asked, &stand, self.engine.now());
            }
        }
        Ok(taken)
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
        let leases: Vec<LeaseRef> = offers.iter().copied().map(lease_of).collect();
        for chunk in leases.chunks(OFFERS_PER_CLAIM_MAX as usize) {
            let ends = self.engine.keep_offers(chunk, self.options.offer_timeout).await?;
            for (lease, end) in chunk.iter().zip(ends) {
                self.book.moved(lease.id, lease.token, end);
            }
        }
        Ok(())
    }
}

fn standing_of(offer: StandingOffer) -> Standing {
    let StandingOffer { lease, job_type, until, .. } = offer;
    Standing { id: lease.id, token: lease.token, job_type, until }
}

fn lease_of((id, token): (JobId, LeaseToken)) -> LeaseRef {
    LeaseRef { id, token }
}
