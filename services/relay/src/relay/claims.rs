//! What a relay claims.

use std::error::Error;
use std::time::Duration;

use domain::dispatch::{Room, Standing, plan_claim, shard_of};
use domain::names::JobType;
use engine::{EngineError, OFFERS_PER_CLAIM_MAX};
use store::jobs::ClaimedJob;
use tokio::time::Instant;

use super::Relay;
use crate::envelope::message;

/// How many claims one look makes of a shard at most, so that acknowledgements are not left waiting.
const CLAIMS_PER_LOOK: usize = 8;

/// A claim with so many bytes of payloads may have ended early because of them: there may be more.
const LARGE_CLAIM: usize = 1 << 20;

/// What claims came to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Claimed {
    /// How many offers were made.
    pub(super) count: usize,
    /// Whether there may be more than there was room for.
    pub(super) is_more: bool,
}

impl Relay {
    /// Claims what a hint is about, without looking at what was accepted.
    pub(super) async fn claim_hinted(&mut self) -> Result<Claimed, EngineError> {
        let shards = self.shards.current();
        let is_kept = self.shards.is_draining || self.is_behind || self.is_away;
        if shards.is_empty() || is_kept || self.publisher.away_since().is_some() {
            return Ok(Claimed::default());
        }
        let types = self.waiting_types(&shards, Duration::ZERO).await?;
        self.claim(&shards, &types).await
    }

    /// The types of these shards of which jobs wait, whose topics are there and whose messages are acknowledged. None while relays
    /// make no offers. That jobs wait may have been found out so long ago.
    pub(super) async fn waiting_types(
        &mut self,
        shards: &[u32],
        ago: Duration,
    ) -> Result<Vec<JobType>, EngineError> {
        if self.types_at.is_none_or(|at| at.elapsed() >= ago) {
            self.types = self.engine.offerable_types().await?;
            self.types_at = Some(Instant::now());
        }
        let mut types = self.types.clone();
        types.retain(|job_type| shards.contains(&shard_of(job_type)) && !self.sending.holds(job_type));
        if types.is_empty() {
            return Ok(types);
        }
        // Read each time: whoever drains waits for the offers that stand, and no other may come.
        self.shards.is_draining = self.engine.is_dispatch_draining().await?;
        if self.shards.is_draining {
            return Ok(Vec::new());
        }
        Ok(self.topics.ready(types, &self.options.topics, &self.publisher))
    }

    /// Claims of these types until nothing waits, none has room, or enough is under way.
    pub(super) async fn claim(&mut self, shards: &[u32], types: &[JobType]) -> Result<Claimed, EngineError> {
        let mut claimed = Claimed::default();
        // Another shard begins each time: where there is room for some of them alone, it is not always the same.
        self.turn = self.turn.wrapping_add(1);
        for nth in 0..shards.len() {
            let shard = shards[(self.turn + nth) % shards.len()];
            let of_shard: Vec<JobType> =
                types.iter().filter(|job_type| shard_of(job_type) == shard).cloned().collect();
            if !of_shard.is_empty() {
                self.claim_shard(shard, &of_shard, &mut claimed).await?;
            }
        }
        Ok(claimed)
    }

    async fn claim_shard(
        &mut self,
        shard: u32,
        types: &[JobType],
        claimed: &mut Claimed,
    ) -> Result<(), EngineError> {
        for _ in 0..CLAIMS_PER_LOOK {
            // A relay that was frozen may have lost the shard meanwhile.
            if self.is_full() || !self.shards.current().contains(&shard) {
                claimed.is_more = true;
                return Ok(());
            }
            let rooms = self.rooms(types);
            let Some((job_types, jobs_max)) = plan_claim(&rooms, OFFERS_PER_CLAIM_MAX) else {
                claimed.is_more = true;
                return Ok(());
            };
            // Those of the others wait that have no room.
            claimed.is_more |= job_types.len() < types.len();
            let timeout = self.options.offer_timeout;
            let jobs = self.engine.claim_offers(shard, job_types, jobs_max, timeout).await?;
            let (count, bytes) = (jobs.len(), jobs.iter().map(|job| job.data.len()).sum::<usize>());
            claimed.count += count;
            self.take_claimed(jobs).await?;
            // The producer takes a bounded number: what was acknowledged meanwhile makes room.
            self.settle_ended().await;
            self.send();
            if count < jobs_max as usize && bytes < LARGE_CLAIM {
                return Ok(());
            }
        }
        claimed.is_more = true;
        Ok(())
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
            if let Some(refusal) = self.topics.refusal(&job.job_type) {
                self.sending.refuse(lease, refusal.code, refusal.message.clone());
                continue;
            }
            match message(&job, until, &self.options.topics, self.options.envelope) {
                Ok(message) => self.sending.push(lease, job.job_type, job.tier, message),
                Err(error) => {
                    tracing::error!(job.id = %job.id, error = &error as &dyn Error, "a payload is not JSON");
                    self.sending.refuse(lease, "payload_invalid", error.to_string());
                }
            }
        }
    }
}
