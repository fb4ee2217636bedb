//! Reads the topics of one job type, in a thread of its own: fills buffers, pauses what is not wanted, and commits what is over.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::consumer::{Consumer, ConsumerFactory, Rebalance, Record};
use super::envelope::job_of;
use super::offsets::{Offsets, Place, Positions};
use super::topics::TIERS;
use crate::error::ClientError;
use crate::models::PolledJob;

const POLL_LIMIT: Duration = Duration::from_millis(100);
/// While nothing is to be read, polls only keep the consumer in its group.
const PAUSED_LIMIT: Duration = Duration::from_millis(20);
const COMMIT_EVERY: Duration = Duration::from_millis(500);

/// An offer that was received.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) place: Place,
    pub(super) offset: i64,
    tier: usize,
    /// The job, with the token of the offer.
    pub(super) job: PolledJob,
}

/// What the thread and the worker share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    buffers: [VecDeque<Offer>; TIERS],
    offsets: Offsets,
    /// Whether each tier is paused, as the consumer was last asked; nothing where its partitions may be paused or not.
    paused: [Option<bool>; TIERS],
    /// Why no broker is reached, if so.
    pub(super) failure: Option<String>,
}

impl Shared {
    /// The next offer of a tier.
    pub(super) fn take(&mut self, tier: usize) -> Option<Offer> {
        self.buffers[tier].pop_front()
    }

    /// It could not be accepted now. One whose partition was taken away is its next owner's.
    pub(super) fn put_back(&mut self, offer: Offer) {
        if self.offsets.has(&offer.place, offer.offset) {
            self.buffers[offer.tier].push_front(offer);
        }
    }

    /// The job is settled, given back, or another's.
    pub(super) fn over(&mut self, place: &Place, offset: i64) {
        self.offsets.over(place, offset);
    }

    /// What is buffered of these partitions was not begun: the next owner reads it again, and no attempt is lost.
    fn revoked(&mut self, places: &[Place]) -> Positions {
        let mut positions = self.offsets.to_commit();
        positions.retain(|(place, _)| places.contains(place));
        self.offsets.forget(places);
        for buffer in &mut self.buffers {
            buffer.retain(|offer| !places.contains(&offer.place));
        }
        positions
    }
}

/// The reader of one job type.
pub(super) struct Reader {
    pub(super) shared: Arc<Mutex<Shared>>,
    is_closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    /// Joins the group. `changed` is notified of whatever comes.
    pub(super) fn start(
        factory: &ConsumerFactory,
        group: &str,
        job_type: &str,
        topics: [String; TIERS],
        room: usize,
        changed: watch::Sender<()>,
    ) -> Result<Self, ClientError> {
        let shared = Arc::<Mutex<Shared>>::default();
        let is_closed = Arc::<AtomicBool>::default();
        let (at_assign, at_revoke) = (Arc::clone(&shared), Arc::clone(&shared));
        let rebalance = Rebalance {
            // librdkafka gives a partition back paused if it was paused when it went.
            assigned: Arc::new(move || at_assign.lock().paused = [None; TIERS]),
            revoked: Arc::new(move |places| at_revoke.lock().revoked(places)),
        };
        let consumer = factory(group, &topics, rebalance)?;
        let loop_of = Loop {
            consumer,
            shared: Arc::clone(&shared),
            is_closed: Arc::clone(&is_closed),
            job_type: job_type.to_owned(),
            topics,
            room,
            changed,
            committed_at: Instant::now(),
        };
        let thread = thread::Builder::new().name("trunkline-kafka".to_owned());
        let thread = thread
            .spawn(move || loop_of.run())
            .map_err(|error| ClientError::Configuration(format!("no thread could be started: {error}")))?;
        Ok(Self { shared, is_closed, thread: Some(thread) })
    }

    /// Leaves the group soon, after what is over is committed. What was not begun is its next owner's. The thread is for
    /// whoever waits for that.
    pub(super) fn close(&mut self) -> Option<JoinHandle<()>> {
        self.is_closed.store(true, Ordering::Relaxed);
        self.thread.take()
    }
}

struct Loop {
    consumer: Box<dyn Consumer>,
    shared: Arc<Mutex<Shared>>,
    is_closed: Arc<AtomicBool>,
    job_type: String,
    topics: [String; TIERS],
    room: usize,
    changed: watch::Sender<()>,
    committed_at: Instant,
}

impl Loop {
    fn run(mut self) {
        while !self.is_closed.load(Ordering::Relaxed) {
            let wanted = self.adjust();
            let limit = if wanted == 0 { PAUSED_LIMIT } else { POLL_LIMIT };
            let records = self.consumer.poll(limit, wanted.max(1));
            let failure = self.consumer.failed();
            self.receive(records, failure);
            if self.committed_at.elapsed() >= COMMIT_EVERY {
                self.commit();
            }
        }
        self.commit();
    }

    /// Pauses the lower tiers while a higher one has messages, and all while the buffers are full. Answers how many messages are
    /// wanted.
    fn adjust(&mut self) -> usize {
        let mut shared = self.shared.lock();
        let total: usize = shared.buffers.iter().map(VecDeque::len).sum();
        let highest = shared.buffers.iter().position(|buffer| !buffer.is_empty()).unwrap_or(TIERS);
        // Below half of the room it reads on, so that it does not pause and resume with each message.
        let is_full = total >= self.room || (shared.paused[0] == Some(true) && total > self.room / 2);
        let wanted = |tier: usize| is_full || tier > highest;
        let changes: Vec<usize> =
            (0..TIERS).filter(|&tier| shared.paused[tier] != Some(wanted(tier))).collect();
        for &tier in &changes {
            shared.paused[tier] = Some(wanted(tier));
        }
        drop(shared);
        for tier in changes {
            self.consumer.pause(&self.topics[tier], wanted(tier));
        }
        if is_full { 0 } else { self.room - total }
    }

    fn receive(&self, records: Vec<Record>, failure: Option<String>) {
        let mut shared = self.shared.lock();
        let has_changed = !records.is_empty() || shared.failure != failure;
        shared.failure = failure;
        for record in records {
            shared.offsets.received(&record.place, record.offset);
            match self.offer_of(&record) {
                Some(offer) => shared.buffers[offer.tier].push_back(offer),
                None => shared.offsets.over(&record.place, record.offset),
            }
        }
        drop(shared);
        if has_changed {
            self.changed.send_replace(());
        }
    }

    /// The offer of a message; `None` where it is another type's, or no offer at all.
    fn offer_of(&self, record: &Record) -> Option<Offer> {
        if record.job_type.as_deref().is_some_and(|job_type| job_type != self.job_type) {
            return None;
        }
        let tier = self.topics.iter().position(|topic| *topic == record.place.topic)?;
        let Some(job) = job_of(&record.value).filter(|job| job.job_type == self.job_type) else {
            // If it was one, it returns after a while.
            tracing::error!(target: "trunkline", topic = record.place.topic, "a message is no offer");
            return None;
        };
        Some(Offer { place: record.place.clone(), offset: record.offset, tier, job })
    }

    fn commit(&mut self) {
        self.committed_at = Instant::now();
        let positions = self.shared.lock().offsets.to_commit();
        if !positions.is_empty() && self.consumer.commit(&positions) {
            self.shared.lock().offsets.committed(&positions);
        }
    }
}
