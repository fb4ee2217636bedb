//! The loop of a relay: look, claim, publish, keep.

use std::collections::HashSet;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::dispatch::{OfferBook, Room, Standing, plan_claim, shard_of};
use domain::names::JobType;
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::{BrokerState, Engine, EngineError, OFFERS_PER_CLAIM_MAX};
use futures::stream::{FuturesUnordered, StreamExt as _};
use store::dispatch::StandingOffer;
use store::jobs::{ClaimedJob, LeaseRef};
use store::wakeup::Hint;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::envelope::message;
use crate::options::RelayOptions;
use crate::publisher::{PublishError, Publisher};
use crate::relay::progress::Progress;
use crate::sending::{Ended, Sending};
use crate::shards::Shards;

/// How many claims one look makes at most, so that acknowledgements are not left waiting.
const CLAIMS_PER_LOOK: usize = 8;
/// How many offers of a relay before this one are read at once.
const ADOPTED_AT_ONCE: usize = 500;

mod outage;
mod progress;

/// A relay.
pub struct Relay {
    engine: Engine,
    publisher: Arc<dyn Publisher>,
    options: RelayOptions,
    shards: Shards,
    book: OfferBook,
    sending: Sending,
    under_way: FuturesUnordered<crate::sending::UnderWay>,
    /// Topics that are known to be there.
    topics: HashSet<JobType>,
    hints: Option<Receiver<Hint>>,
    /// The time until the next look.
    pause: Duration,
    /// Whether the broker was away at the last look: nothing is sent meanwhile.
    is_away: bool,
    progress: Progress,
}

/// A relay that runs.
#[derive(Debug)]
pub struct RunningRelay {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl RunningRelay {
    /// Ends it: what is under way may be acknowledged, the rest of what it claimed goes back.
    pub async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(error = &error as &dyn Error, "the relay did not end by itself");
        }
    }
}

/// Starts a relay.
pub fn start(engine: Engine, publisher: Arc<dyn Publisher>, options: RelayOptions) -> RunningRelay {
    let stop = CancellationToken::new();
    let task = tokio::spawn(Relay::new(engine, publisher, options).run(stop.clone()));
    RunningRelay { stop, task }
}

impl Relay {
    /// A relay that has nothing yet.
    pub fn new(engine: Engine, publisher: Arc<dyn Publisher>, options: RelayOptions) -> Self {
        let hints = Some(engine.wakeup().subscribe());
        Self {
            engine,
            publisher,
            options,
            shards: Shards::default(),
            book: OfferBook::default(),
            sending: Sending::default(),
            under_way: FuturesUnordered::new(),
            topics: HashSet::new(),
            hints,
            pause: Duration::ZERO,
            is_away: false,
            progress: Progress::default(),
        }
    }

    /// Runs until it is stopped.
    pub async fn run(mut self, stop: CancellationToken) {
        let (mut renew_at, mut look_at) = (Instant::now(), Instant::now());
        let mut retry_at: Option<Instant> = None;
        while !stop.is_cancelled() {
            if Instant::now() >= renew_at {
                self.renew().await;
                renew_at = Instant::now() + self.options.term / 3;
            }
            if Instant::now() >= look_at {
                let wait = self.look().await.unwrap_or_else(|error| {
                    tracing::warn!(
                        error = &error as &dyn Error,
                        "the relay cannot look at offers; it goes on"
                    );
                    self.options.look_most
                });
                look_at = Instant::now() + wait;
            }
            if retry_at.is_some_and(|at| Instant::now() >= at) {
                self.sending.retry();
                retry_at = None;
            }
            self.send();
            self.refuse().await;
            if retry_at.is_none() && self.sending.has_failed() {
                retry_at = Some(Instant::now() + self.options.retry_after);
            }
            let wake = retry_at.map_or(look_at, |at| at.min(look_at)).min(renew_at);
            tokio::select! {
                () = stop.cancelled() => {}
                Some(ended) = self.under_way.next(), if !self.under_way.is_empty() => self.settle(ended).await,
                () = hinted(&mut self.hints) => {
                    look_at = look_at.min(Instant::now() + self.options.look_least);
                }
                () = tokio::time::sleep_until(wake) => {}
            }
        }
        self.end().await;
    }

    async fn renew(&mut self) {
        let figures = self.progress.figures(&self.sending, self.engine.now());
        let broker = BrokerState { relays: true, away_since: self.publisher.away_since(), figures };
        match self.shards.renew(&self.engine, &self.options, broker).await {
            // What stands in shards that are new here is found by the next look; what stood in others is not its any more.
            Ok(true) => self.book.clear(),
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn Error,
                    "the relay cannot renew its shards; it tries again"
                );
            }
        }
    }

    /// Compares with the store, publishes what a relay before left, and claims what there is room for. Answers when to look
    /// again.
    async fn look(&mut self) -> Result<Duration, EngineError> {
        self.check_broker().await?;
        let shards = self.shards.current();
        if shards.is_empty() {
            return Ok(self.options.look_most);
        }
        let now = self.engine.now();
        let standing = self.engine.standing_offers(&shards).await?;
        let standing: Vec<Standing> = standing.into_iter().map(standing_of).collect();
        let known = self.book.len();
        let unknown = self.book.compare(&standing, now);
        let gone = known - self.book.len();
        if !self.is_away {
            self.adopt(unknown).await?;
        }
        self.keep_unpublished().await?;
        self.book.tidy(now);
        if self.shards.is_draining || self.is_away {
            return Ok(self.options.look_most);
        }
        let (is_more, claimed) = self.claim(&shards).await?;
        // Where all windows are full and nobody accepts, there is nothing to see for a while.
        self.pause = match (is_more, gone + claimed) {
            (true, 0) => (self.pause * 2).clamp(self.options.look_least, self.options.look_most),
            (true, _) => self.options.look_least,
            (false, _) => self.options.look_most,
        };
        Ok(self.pause)
    }

    /// Publishes offers of a relay before this one again, under the ids that they had.
    async fn adopt(&mut self, unknown: Vec<Standing>) -> Result<(), EngineError> {
        for chunk in unknown.chunks(ADOPTED_AT_ONCE) {
            if self.is_full() {
                // The next look finds them again.
                break;
            }
            let leases: Vec<LeaseRef> =
                chunk.iter().map(|offer| LeaseRef { id: offer.id, token: offer.token }).collect();
            let jobs = self.engine.offered_jobs(&leases).await?;
            let mut types: Vec<JobType> = jobs.iter().map(|job| job.job_type.clone()).collect();
            types.sort();
            types.dedup();
            if !self.has_topics(&types).await {
                break;
            }
            tracing::info!(
                offers = jobs.len(),
                "offers that were not known to be published are published again"
            );
            self.take(jobs);
        }
        Ok(())
    }

    /// Offers that the broker does not have yet stay: that it is away is no reason to give them back.
    async fn keep_unpublished(&mut self) -> Result<(), EngineError> {
        let timeout = self.options.offer_timeout;
        let before = self.engine.now().plus(DurationMs(timeout.0 / 2));
        let ending = self.book.to_keep(before);
        self.keep(&ending).await
    }

    async fn keep(
        &mut self,
        offers: &[(domain::id::JobId, domain::id::LeaseToken)],
    ) -> Result<(), EngineError> {
        let leases: Vec<LeaseRef> = offers.iter().map(|&(id, token)| LeaseRef { id, token }).collect();
        for chunk in leases.chunks(OFFERS_PER_CLAIM_MAX as usize) {
            let ends = self.engine.keep_offers(chunk, self.options.offer_timeout).await?;
            for (lease, end) in chunk.iter().zip(ends) {
                self.book.moved(lease.id, lease.token, end);
            }
        }
        Ok(())
    }

    /// Claims until nothing waits, no type has room, or enough is under way. Answers whether there may be more, and how many
    /// it claimed.
    async fn claim(&mut self, shards: &[u32]) -> Result<(bool, usize), EngineError> {
        let types = self.engine.offerable_types().await?;
        // Read each time: whoever drains waits for the offers that stand, and no other may come.
        self.shards.is_draining = self.engine.relay_view().await?.is_draining;
        if types.is_empty() || self.shards.is_draining {
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
    fn is_full(&self) -> bool {
        self.sending.len() >= self.options.unacknowledged_max
            || self.sending.bytes() >= self.options.bytes_max
    }

    /// Sees to it that the topics of these types are there. `false` where that may work later; what is refused for good is
    /// found by each message.
    async fn has_topics(&mut self, types: &[JobType]) -> bool {
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
    fn take(&mut self, jobs: Vec<ClaimedJob>) {
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

    /// Gives messages to the producer, as many as may be under way.
    fn send(&mut self) {
        if self.is_away {
            return;
        }
        let book = &self.book;
        self.sending.send(
            self.publisher.as_ref(),
            |lease| book.holds(lease.id, lease.token),
            |receipt| self.under_way.push(receipt),
        );
    }

    /// What became of a message, and of all others that ended meanwhile.
    async fn settle(&mut self, first: Ended) {
        let mut ended = vec![first];
        while let Some(Some(next)) = futures::FutureExt::now_or_never(self.under_way.next()) {
            ended.push(next);
        }
        for one in ended {
            let Some(published) = self.sending.end(one) else {
                continue;
            };
            self.engine.offer_published();
            self.book.published(published.id, published.token);
        }
        self.refuse().await;
    }

    /// Makes dead letters of the jobs whose messages are refused for good.
    async fn refuse(&mut self) {
        for job_type in self.sending.take_missing_topics() {
            self.topics.remove(&job_type);
        }
        let refused = self.sending.take_refused();
        if refused.is_empty() {
            return;
        }
        for one in &refused {
            self.book.moved(one.offer.id, one.offer.token, None);
        }
        if let Err(error) = self.engine.refuse_offers(refused.clone()).await {
            tracing::warn!(
                error = &error as &dyn Error,
                "refused offers cannot be settled; they are tried again"
            );
            // They stand until they come back, and are refused again then.
        }
    }

    /// Lets what is under way end, and gives the rest back.
    async fn end(mut self) {
        let within = tokio::time::sleep(self.options.end_within);
        tokio::pin!(within);
        while !self.under_way.is_empty() {
            tokio::select! {
                ended = self.under_way.next() => match ended {
                    Some(ended) => self.settle(ended).await,
                    None => break,
                },
                () = &mut within => break,
            }
        }
        if let Err(error) = self.give_back_unsent().await {
            tracing::warn!(error = &error as &dyn Error, "offers that were not sent could not be given back");
        }
        let held = self.shards.current();
        self.shards.clear();
        if let Err(error) = self.engine.release_shards(&held).await {
            tracing::warn!(error = &error as &dyn Error, "shards could not be given back; their terms end");
        }
    }
}

fn standing_of(offer: StandingOffer) -> Standing {
    let StandingOffer { lease, job_type, until, .. } = offer;
    Standing { id: lease.id, token: lease.token, job_type, until }
}

/// Resolves with a hint that jobs of outside workers may have come, or slots for them.
async fn hinted(hints: &mut Option<Receiver<Hint>>) {
    while let Some(receiver) = hints {
        match receiver.recv().await {
            Ok(
                Hint::Queue(QueueName::Node) | Hint::Enqueued(QueueName::Node) | Hint::Freed(QueueName::Node),
            )
            | Err(RecvError::Lagged(_)) => return,
            Ok(_) => {}
            Err(RecvError::Closed) => *hints = None,
        }
    }
    std::future::pending::<()>().await;
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay").field("options", &self.options).finish_non_exhaustive()
    }
}
