//! What a relay claims, and the topics that it needs for that.

use std::error::Error;

use domain::dispatch::{Room, Standing, plan_claim, shard_of};
use domain::names::JobType;
use engine::{EngineError, OFFERS_PER_CLAIM_MAX};
use store::jobs::ClaimedJob;

use super::Relay;
use crate::envelope::message;
use crate::sending::PublishError;

/// How many claims one look makes at most, so that acknowledgements are not left waiting.
const CLAIMS_PER_LOOK: usize = 8;

impl Relay {
    /// Claims what a hint is about, without a comparison. Answers whether more waits than there is room for.
    pub(super) async fn claim_hinted(&mut self) -> Result<bool, EngineError> {
        let shards = self.shards.current();
        let is_kept = self.shards.is_draining || self.is_behind || self.is_away;
        if shards.is_empty() || is_kept || self.publisher.away_since().is_some() {
            return Ok(false);
        }
        Ok(self.claim(&shards).await?.0)
    }

    /// Claims until nothing waits, no type has room, or enough is under way. Answers whether there may be more, and how many
    /// it claimed.
    pub(super) async fn claim(&mut self, shards: &[u32]) -> Result<(bool, usize), EngineError> {
        let types = self.engine.offerable_types().await?;
        if types.is_empty() {
            return Ok((false, 0));
        }
        // Read each time: whoever drains waits for the offers that stand, and no other may come.
        self.shards.is_draining = self.engine.relay_view().await?.is_draining;
        if self.shards.is_draining {
            return Ok((false, 0));
        }
        let (mut is_more, mut claimed) = (false, 0);
        for &shard in shards {
            let of_shard: Vec<JobType> =
                types.iter().filter(|job_type| shard_of(job_type) == shard).cloned().collect();
            for _ in 0..CLAIMS_PER_LOOK {
                // A relay that was frozen may have lost the shard meanwhile.
                if of_shard.is_empty() || self.is_full() || !self.shards.current().contains(&shard) {
                    is_more |= !of_shard.is_empty();
                    break;
                }
                let rooms = self.rooms(&of_shard);
                let Some((job_types, jobs_max)) = plan_claim(&rooms, OFFERS_PER_CLAIM_MAX) else {
                    is_more = true;
                    break;
                };
                if !self.has_topics(&job_types).await {
                    break;
                }
                let jobs =
                    self.engine.claim_offers(shard, job_types, jobs_max, self.options.offer_timeout).await?;
                let count = jobs.len();
                claimed += count;
                self.take_claimed(jobs).await?;
                // The producer takes a bounded number: what was acknowledged meanwhile makes room.
                self.settle_ended().await;
                self.send();
                if count < jobs_max as usize {
                    is_more |= rooms.iter().any(|room| room.standing >= room.allowance);
                    break;
                }
                is_more = true;
            }
        }
        Ok((is_more, claimed))
    }

    fn rooms(&mut self, types: &[JobType]) -> Vec<Room> {
        let now = self.engine.now();
        types.iter().map(|job_type| self.book.room(job_type, self.options.window, now)).collect()
    }

    /// Whether nothing more is to be claimed for now.
    pub(super) fn is_full(&self) -> bool {
        self.sending.len() >= self.options.unacknowledged_max
            || self.sending.bytes() >= self.options.bytes_max
    }

    /// Sees to it that the topics of these types are there. `false` where that may work later; what is refused for good is
    /// found by each message.
    pub(super) async fn has_topics(&mut self, types: &[JobType]) -> bool {
        let missing: Vec<&JobType> =
            types.iter().filter(|job_type| !self.topics.contains(*job_type)).collect();
        if missing.is_empty() {
            return true;
        }
        let mut names: Vec<String> =
            missing.iter().flat_map(|job_type| self.options.topics.of_type(job_type)).collect();
        names.sort();
        names.dedup();
        match self.publisher.ensure_topics(&names).await {
            Ok(()) | Err(PublishError::Refused { .. }) => {
                self.topics.extend(missing.into_iter().cloned());
                true
            }
            Err(error @ PublishError::Later { .. }) => {
                tracing::warn!(
                    error = &error as &dyn Error,
                    "topics cannot be looked up; jobs wait in the store"
                );
                false
            }
        }
    }

    /// Takes what was claimed. An offer of a job whose own timeout is shorter than that of offers is kept for as long as the
    /// others: the attempt has not begun.
    async fn take_claimed(&mut self, jobs: Vec<ClaimedJob>) -> Result<(), EngineError> {
        let timeout = self.options.offer_timeout;
        let short = jobs.iter().filter(|job| job.timeout.is_some_and(|own| own < timeout));
        let short: Vec<_> = short.map(|job| (job.id, job.token)).collect();
        self.take(jobs);
        self.keep(&short).await
    }

    /// Enters offers into the book, and queues their messages in the order in which they were claimed.
    pub(super) fn take(&mut self, jobs: Vec<ClaimedJob>) {
        for job in jobs {
            let until = job.lease_until.max(job.started_at.plus(self.options.offer_timeout));
            let lease = job.lease();
            self.book.add(Standing {
                id: job.id,
                token: job.token,
                job_type: job.job_type.clone(),
                until: job.lease_until,
            });
            match message(&job, until, &self.options.topics, self.options.envelope) {
                Ok(message) => self.sending.push(lease, job.job_type, job.tier, message),
                Err(error) => {
                    tracing::error!(job.id = %job.id, error = &error as &dyn Error, "a payload is no JSON");
                    self.sending.refuse(lease, "payload_invalid", error.to_string());
                }
            }
        }
    }
}
