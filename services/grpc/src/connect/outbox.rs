//! The way to a worker: messages wait here until the connection takes them.
//!
//! Nothing that answers the worker is refused: no more of its reports are read while many answers wait. Jobs are claimed for it
//! only while little waits. Offers that have gone back meanwhile are not sent any more.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use futures::Stream;
use parking_lot::Mutex;
use prost::Message as _;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::Status;

use crate::proto::to_worker::Message;
use crate::proto::{Offer, ToWorker};

/// How many messages may wait before no more jobs are claimed.
const MESSAGES_MAX: usize = 64;
/// How many messages, and how many bytes of answers to reports, may wait before no more of what the worker sends is read.
const ANSWERED_MESSAGES_MAX: usize = 1_024;
const ANSWERS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Where messages are put.
pub(super) struct Outbox {
    sender: mpsc::UnboundedSender<Entry>,
    shared: Arc<Shared>,
    gone: CancellationToken,
}

/// What the connection takes.
pub(super) struct Outgoing {
    receiver: mpsc::UnboundedReceiver<Entry>,
    shared: Arc<Shared>,
    /// Says that nobody takes anything any more.
    _gone: DropGuard,
}

struct Entry {
    message: Result<ToWorker, Status>,
    weight: Weight,
}

/// What waits with a message.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    /// Bytes of payloads.
    payloads: usize,
    /// Bytes of an answer to a report.
    answer: usize,
}

struct Shared {
    messages: AtomicUsize,
    bytes: AtomicUsize,
    answer_bytes: AtomicUsize,
    /// Offered jobs that have not gone back.
    offered: Mutex<HashSet<String>>,
    taken: Notify,
    taken_at: Mutex<Instant>,
}

/// A way to a worker.
pub(super) fn outbox() -> (Outbox, Outgoing) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let shared = Arc::new(Shared {
        messages: AtomicUsize::new(0),
        bytes: AtomicUsize::new(0),
        answer_bytes: AtomicUsize::new(0),
        offered: Mutex::default(),
        taken: Notify::new(),
        taken_at: Mutex::new(Instant::now()),
    });
    let gone = CancellationToken::new();
    let outgoing = Outgoing { receiver, shared: Arc::clone(&shared), _gone: gone.clone().drop_guard() };
    (Outbox { sender, shared, gone }, outgoing)
}

impl Outbox {
    /// Sends a message.
    pub(super) fn send(&self, message: Message) {
        let weight = match &message {
            Message::Offer(offer) => {
                let mut offered = self.shared.offered.lock();
                offered.extend(offer.jobs.iter().map(|job| job.id.clone()));
                let payloads = offer.jobs.iter().map(|job| job.data.len() + job.progress.len()).sum();
                Weight { payloads, answer: 0 }
            }
            Message::Outcome(outcome) => Weight { payloads: 0, answer: outcome.encoded_len() },
            _ => Weight::default(),
        };
        self.push(Ok(ToWorker { message: Some(message) }), weight);
    }

    /// Ends the stream with a status.
    pub(super) fn fail(&self, status: Status) {
        self.push(Err(status), Weight::default());
    }

    fn push(&self, message: Result<ToWorker, Status>, weight: Weight) {
        if self.shared.messages.fetch_add(1, Ordering::Relaxed) == 0 {
            *self.shared.taken_at.lock() = Instant::now();
        }
        self.shared.bytes.fetch_add(weight.payloads, Ordering::Relaxed);
        self.shared.answer_bytes.fetch_add(weight.answer, Ordering::Relaxed);
        // Where nobody takes it, the stream is at its end.
        let _ = self.sender.send(Entry { message, weight });
    }

    /// Keeps an offered job from being sent, where it still waits.
    pub(super) fn withdraw(&self, id: &str) {
        self.shared.offered.lock().remove(id);
    }

    /// Whether jobs may be claimed for what little waits.
    pub(super) fn has_room(&self, bytes_max: usize) -> bool {
        self.shared.messages.load(Ordering::Relaxed) < MESSAGES_MAX
            && self.shared.bytes.load(Ordering::Relaxed) < bytes_max
    }

    /// Whether more may come from the worker, which is answered.
    pub(super) fn takes_answers(&self) -> bool {
        self.shared.messages.load(Ordering::Relaxed) < ANSWERED_MESSAGES_MAX
            && self.shared.answer_bytes.load(Ordering::Relaxed) < ANSWERS_BYTES_MAX
    }

    /// Whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.shared.messages.load(Ordering::Relaxed) == 0
    }

    /// Since when something waits that is not taken.
    pub(super) fn stuck_since(&self) -> Option<Instant> {
        (!self.is_empty()).then(|| *self.shared.taken_at.lock())
    }

    /// Resolves when a message was taken.
    pub(super) async fn taken(&self) {
        self.shared.taken.notified().await;
    }

    /// Resolves when the connection is gone.
    pub(super) async fn gone(&self) {
        self.gone.cancelled().await;
    }
}

impl Stream for Outgoing {
    type Item = Result<ToWorker, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let Poll::Ready(entry) = self.receiver.poll_recv(context) else {
                return Poll::Pending;
            };
            let Some(Entry { message, weight }) = entry else {
                return Poll::Ready(None);
            };
            self.shared.messages.fetch_sub(1, Ordering::Relaxed);
            self.shared.bytes.fetch_sub(weight.payloads, Ordering::Relaxed);
            self.shared.answer_bytes.fetch_sub(weight.answer, Ordering::Relaxed);
            *self.shared.taken_at.lock() = Instant::now();
            self.shared.taken.notify_one();
            if let Some(message) = self.shared.still_valid(message) {
                return Poll::Ready(Some(message));
            }
        }
    }
}

impl Shared {
    /// The message without jobs that have gone back; `None` where nothing is left of it.
    fn still_valid(&self, mut message: Result<ToWorker, Status>) -> Option<Result<ToWorker, Status>> {
        if let Ok(ToWorker { message: Some(Message::Offer(Offer { jobs })) }) = &mut message {
            let mut offered = self.offered.lock();
            jobs.retain(|job| offered.remove(&job.id));
            if jobs.is_empty() {
                return None;
            }
        }
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;

    use super::*;
    use crate::proto::{PolledJob, Problem, ReportOutcome};

    fn offer(ids: &[&str]) -> Message {
        let job =
            |id: &&str| PolledJob { id: (*id).to_owned(), data: "12345".into(), ..PolledJob::default() };
        Message::Offer(Offer { jobs: ids.iter().map(job).collect() })
    }

    #[tokio::test]
    async fn jobs_that_went_back_are_not_sent() {
        let (outbox, mut outgoing) = outbox();
        outbox.send(offer(&["a", "b"]));
        outbox.send(offer(&["c"]));
        outbox.send(offer(&["d"]));
        outbox.withdraw("a");
        outbox.withdraw("c");
        let mut ids = Vec::new();
        for _ in 0..2 {
            let sent = outgoing.next().await.expect("a message").expect("no status");
            let Some(Message::Offer(Offer { jobs })) = sent.message else { panic!("an offer") };
            ids.extend(jobs.into_iter().map(|job| job.id));
        }
        assert_eq!(ids, ["b", "d"]);
        assert!(outbox.is_empty());
    }

    #[tokio::test]
    async fn a_worker_that_reads_no_answers_is_not_read_either() {
        let answer = |message: String| {
            let error = Some(Problem { detail: message, ..Problem::default() });
            Message::Outcome(ReportOutcome { number: 1, results: Vec::new(), error })
        };
        let (many, mut taken) = outbox();
        while many.takes_answers() {
            many.send(answer(String::new()));
        }
        assert_eq!(many.shared.messages.load(Ordering::Relaxed), ANSWERED_MESSAGES_MAX);
        taken.next().await.expect("a message").expect("no status");
        assert!(many.takes_answers());

        let (large, mut taken) = outbox();
        for _ in 0..4 {
            assert!(large.takes_answers());
            large.send(answer("x".repeat(ANSWERS_BYTES_MAX / 4)));
        }
        assert!(!large.takes_answers() && large.has_room(1), "jobs are another matter");
        taken.next().await.expect("a message").expect("no status");
        assert!(large.takes_answers());
    }

    #[tokio::test]
    async fn a_slow_reader_bounds_what_is_claimed_for_it() {
        let (outbox, mut outgoing) = outbox();
        assert!(outbox.has_room(10) && outbox.stuck_since().is_none());
        outbox.send(offer(&["a", "b"]));
        assert!(!outbox.has_room(10) && outbox.stuck_since().is_some());
        outgoing.next().await.expect("a message").expect("no status");
        assert!(outbox.has_room(10));
        drop(outgoing);
        outbox.gone().await;
    }
}
