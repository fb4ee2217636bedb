//! The loop of a relay: look, claim, publish, keep.

use std::collections::HashSet;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::dispatch::{HELD_TYPES_MAX, HeldType, OfferBook, shard_of};
use domain::names::JobType;
use domain::queue::QueueName;
use engine::{BrokerState, Engine, EngineError};
use futures::FutureExt as _;
use futures::stream::{FuturesUnordered, StreamExt as _};
use store::wakeup::Hint;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::options::RelayOptions;
use crate::publisher::Publisher;
use crate::relay::pace::{Due, Pace};
use crate::relay::progress::Progress;
use crate::relay::topics::{Topics, Tried};
use crate::sending::{Ended, Sending};
use crate::shards::Shards;

mod claims;
mod outage;
mod pace;
mod progress;
mod standing;
mod topics;

/// For how long a relay that is busy takes types to have jobs that wait.
const TYPES_KEPT: Duration = Duration::from_millis(200);

/// A relay.
pub struct Relay {
    engine: Engine,
    publisher: Arc<dyn Publisher>,
    options: RelayOptions,
    shards: Shards,
    book: OfferBook,
    sending: Sending,
    under_way: FuturesUnordered<crate::sending::UnderWay>,
    topics: Topics,
    /// Types of which offers of a relay before this one stand that wait for their topics.
    deferred: HashSet<JobType>,
    hints: Option<Receiver<Hint>>,
    pace: Pace,
    /// The time until the next look.
    pause: Duration,
    /// Whether more waited at the last claim than there was room for.
    has_more: bool,
    /// When what the relay knows is compared with all that stands. Set by the comparison.
    compare_at: Instant,
    /// The types of which jobs waited, and when that was read.
    types: Vec<JobType>,
    types_at: Option<Instant>,
    /// Where the next claims begin among the shards.
    turn: usize,
    /// Of how many types it was asked which of their offers were taken.
    asked_types: usize,
    /// Whether offers of a relay before this one stand that are not published again yet: nothing newer may be claimed.
    is_behind: bool,
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
            tracing::error!(error = &error as &dyn Error, "the relay did not stop in time");
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
            topics: Topics::default(),
            deferred: HashSet::new(),
            hints,
            pace: Pace::new(Instant::now()),
            pause: Duration::ZERO,
            has_more: false,
            compare_at: Instant::now(),
            types: Vec::new(),
            types_at: None,
            turn: 0,
            asked_types: 0,
            is_behind: false,
            is_away: false,
            progress: Progress::default(),
        }
    }

    /// Runs until it is stopped.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut renew_at = Instant::now();
        let mut retry_at: Option<Instant> = None;
        while !stop.is_cancelled() {
            if Instant::now() >= renew_at {
                self.renew().await;
                renew_at = Instant::now() + self.options.term / 3;
            }
            match self.pace.due(Instant::now()) {
                Due::Look => self.look_or_wait().await,
                Due::Claim => self.answer_hint().await,
                Due::Nothing => {}
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
            let next = self.pace.next().min(renew_at);
            let wake = retry_at.map_or(next, |at| at.min(next));
            tokio::select! {
                () = stop.cancelled() => {}
                Some(ended) = self.under_way.next(), if !self.under_way.is_empty() => self.settle(ended).await,
                tried = self.topics.tried() => self.enter_topics(tried),
                () = hinted(&mut self.hints) => self.pace.hinted(Instant::now(), self.claim_least()),
                () = tokio::time::sleep_until(wake) => {}
            }
        }
        self.end().await;
    }

    async fn renew(&mut self) {
        let held = self.held_types();
        let figures = self.progress.figures(&self.sending, held, self.engine.now());
        let broker = BrokerState { relays: true, away_since: self.publisher.away_since(), figures };
        match self.shards.renew(&self.engine, &self.options, broker).await {
            // What stands in shards that are new here is found by the next look; what stood in others is not its any more.
            Ok(true) => {
                self.book.clear();
                self.is_behind = true;
                self.pace.look_now(Instant::now());
            }
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn Error, "the relay cannot renew its shards; retrying");
            }
        }
    }

    /// The types of which jobs wait and no offers are made, those first that are held for longest.
    fn held_types(&self) -> Vec<HeldType> {
        let shards = self.shards.current();
        let waiting: HashSet<&JobType> = self.types.iter().chain(&self.deferred).collect();
        let mut held: Vec<HeldType> = self.topics.held().chain(self.sending.held()).collect();
        held.retain(|one| waiting.contains(&one.job_type) && shards.contains(&shard_of(&one.job_type)));
        held.sort_unstable_by(|one, other| (one.since, &one.job_type).cmp(&(other.since, &other.job_type)));
        held.truncate(HELD_TYPES_MAX);
        held
    }

    async fn look_or_wait(&mut self) {
        let wait = match self.look().await {
            Ok(wait) => wait,
            Err(error) => {
                tracing::warn!(error = &error as &dyn Error, "the relay cannot read its offers; retrying");
                // What was claimed, if anything was, goes out before anything newer.
                self.is_behind = true;
                self.options.look_most
            }
        };
        self.pace.looked(Instant::now(), wait);
    }

    async fn answer_hint(&mut self) {
        let look_within = match self.claim_hinted().await {
            // Windows are full: what was accepted meanwhile makes room.
            Ok(claimed) => {
                self.has_more = claimed.is_more;
                claimed.is_more.then_some(self.options.look_least)
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn Error, "the relay cannot claim offers; retrying");
                self.is_behind = true;
                Some(self.options.look_least)
            }
        };
        self.pause = look_within.unwrap_or(self.pause);
        self.pace.claimed(Instant::now(), look_within);
    }

    /// The time between claims that hints ask for. Where windows are full, only a look finds room.
    fn claim_least(&self) -> Duration {
        if self.has_more { self.options.look_least } else { self.options.claim_least }
    }

    /// Finds out what was accepted, publishes what a relay before left, and claims what there is room for. Answers when to look
    /// again.
    async fn look(&mut self) -> Result<Duration, EngineError> {
        self.check_broker().await?;
        let shards = self.shards.current();
        if shards.is_empty() {
            return Ok(self.options.look_most);
        }
        if !self.is_away {
            self.give_back_stalled().await?;
        }
        let began = Instant::now();
        if self.is_behind || self.compare_at <= began {
            self.is_behind = !self.compare(&shards).await?;
        }
        self.keep_unpublished().await?;
        if self.is_away {
            return Ok(self.options.look_most);
        }
        if self.is_behind {
            return Ok(self.options.look_least.max(began.elapsed()));
        }
        // Looks follow one another closely where windows are full, and what comes meanwhile is hinted.
        let ago = if self.has_more { TYPES_KEPT } else { Duration::ZERO };
        let waiting = self.waiting_types(&shards, ago).await?;
        let taken = self.find_taken(&waiting).await?;
        let read_for = began.elapsed();
        let claimed = self.claim(&shards, &waiting).await?;
        self.has_more = claimed.is_more;
        // Where all windows are full and nobody accepts, there is nothing to see for a while.
        self.pause = match (claimed.is_more, taken + claimed.count) {
            (true, 0) => (self.pause * 2).clamp(self.options.look_least, self.options.look_most),
            (true, _) => self.options.look_least,
            (false, _) => self.options.look_most,
        };
        // What was claimed took its time, in which others were accepted; reading takes no more than half of the relay's.
        let is_busy = claimed.is_more && claimed.count > 0;
        Ok(if is_busy { self.pause.saturating_sub(began.elapsed()).max(read_for) } else { self.pause })
    }

    /// Topics were looked up: types that have theirs are offered, and what stood of them before comes first.
    fn enter_topics(&mut self, tried: Tried) {
        for (job_type, error) in self.topics.enter(tried, self.options.topics_after, self.engine.now()) {
            tracing::warn!(
                job.r#type = %job_type,
                error = &error as &dyn Error,
                "topics do not exist; jobs of this type wait in the database"
            );
            self.sending.count(&error);
        }
        if self.deferred.iter().any(|job_type| !self.topics.holds(job_type)) {
            self.is_behind = true;
            self.pace.look_now(Instant::now());
        } else {
            self.pace.hinted(Instant::now(), self.claim_least());
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
        self.end_message(first);
        self.settle_ended().await;
    }

    /// What became of all messages that ended.
    async fn settle_ended(&mut self) {
        while let Some(Some(ended)) = self.under_way.next().now_or_never() {
            self.end_message(ended);
        }
        self.refuse().await;
    }

    fn end_message(&mut self, ended: Ended) {
        let Some(published) = self.sending.end(ended) else {
            return;
        };
        self.engine.offer_published();
        self.book.published(published.id, published.token);
    }

    /// Makes dead letters of the jobs whose messages are refused for good.
    async fn refuse(&mut self) {
        for job_type in self.sending.take_missing_topics() {
            self.topics.forget(&job_type);
        }
        let refused = self.sending.take_refused();
        if refused.is_empty() {
            return;
        }
        for one in &refused {
            self.book.moved(one.offer.id, one.offer.token, None);
        }
        if let Err(error) = self.engine.refuse_offers(refused.clone()).await {
            tracing::warn!(error = &error as &dyn Error, "rejected offers could not be settled; retrying");
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
            tracing::warn!(error = &error as &dyn Error, "unsent offers could not be released");
        }
        let held = self.shards.current();
        self.shards.clear();
        if let Err(error) = self.engine.release_shards(&held).await {
            tracing::warn!(
                error = &error as &dyn Error,
                "shards could not be released; their terms will expire"
            );
        }
    }
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
