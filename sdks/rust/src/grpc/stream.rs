//! One stream of a worker, from `hello` to its end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use super::delivery::Delivery;
use super::proto::from_worker::Message as Sent;
use super::proto::to_worker::Message as Said;
use super::proto::worker_service_client::WorkerServiceClient;
use super::proto::{
    Alive, CancelledJob, Credits, FromWorker, Hello, PolledJob, Received, ReportOutcome, ToWorker,
};
use super::status::error_of;
use super::{Link, MESSAGE_BYTES_MAX, Shared};
use crate::error::{ClientError, ProblemError};
use crate::models::Poll;

const CALL: &str = "pollJobs";
const ALIVE_EVERY: Duration = Duration::from_secs(20);
/// How many messages wait to be sent; a report that finds no room goes in a call of its own.
const WAITING_MAX: usize = 256;

/// A stream.
pub(super) struct Stream {
    state: Mutex<State>,
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    /// Absent once nothing more is sent.
    out: Option<mpsc::Sender<FromWorker>>,
    /// How many more jobs the server may offer.
    credits: usize,
    /// Jobs that were offered and that no poll has taken.
    offered: Vec<PolledJob>,
    number: u64,
    answers: HashMap<u64, oneshot::Sender<ReportOutcome>>,
    is_draining: bool,
    end: Option<End>,
}

/// Why a stream ended.
#[derive(Clone)]
enum End {
    Refused(Box<ProblemError>),
    Broke(String),
}

/// What a poll finds.
pub(super) enum Taken {
    /// Jobs, which are the worker's from now on.
    Jobs(Vec<PolledJob>),
    /// Nothing yet: wait for a change.
    Nothing(watch::Receiver<u64>),
    /// Nothing comes any more from here.
    Over,
}

impl Stream {
    /// Says hello and waits until the server answers.
    pub(super) async fn open(
        shared: &Arc<Shared>,
        delivery: &Arc<Delivery>,
        link: Link,
        poll: &Poll,
    ) -> Result<Arc<Self>, ClientError> {
        let (out, waiting) = mpsc::channel(WAITING_MAX);
        let hello = Hello {
            worker_id: poll.worker_id.clone(),
            job_types: poll.job_types.clone(),
            lease: poll.lease.clone(),
            tenant: poll.tenant.clone(),
            build: poll.build.clone(),
            builds: poll.builds.clone().unwrap_or_default(),
        };
        let first = FromWorker { number: 0, message: Some(Sent::Hello(hello)) };
        // The channel is empty: there is room.
        let _ = out.try_send(first);
        let mut request = tonic::Request::new(ReceiverStream::new(waiting));
        shared.authorize(request.metadata_mut());
        let mut client = WorkerServiceClient::new(link.channel.clone())
            .max_decoding_message_size(MESSAGE_BYTES_MAX)
            .max_encoding_message_size(MESSAGE_BYTES_MAX);
        let answer = client.connect(request).await.map_err(|status| error_of(CALL, status))?;
        let mut inbound = answer.into_inner();
        let first = inbound.message().await.map_err(|status| error_of(CALL, status))?;
        link.hear();
        let state = State { out: Some(out), ..State::default() };
        let stream = Arc::new(Self { state: Mutex::new(state), changes: watch::Sender::new(0) });
        if let Some(first) = first {
            stream.handle(first, delivery);
        }
        let reader = Reader {
            stream: Arc::clone(&stream),
            shared: Arc::clone(shared),
            delivery: Arc::clone(delivery),
            link,
        };
        tokio::spawn(reader.run(inbound));
        Ok(stream)
    }

    fn announce(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    fn handle(&self, message: ToWorker, delivery: &Delivery) {
        let mut lost: Vec<CancelledJob> = Vec::new();
        let mut state = self.state.lock();
        match message.message {
            Some(Said::Offer(offer)) => {
                state.credits = state.credits.saturating_sub(offer.jobs.len());
                state.offered.extend(offer.jobs);
            }
            Some(Said::Outcome(outcome)) => {
                if let Some(answer) = state.answers.remove(&outcome.number) {
                    // Whoever gave up waiting need not know.
                    let _ = answer.send(outcome);
                }
            }
            Some(Said::Cancel(cancel)) => {
                let (back, gone): (Vec<_>, Vec<_>) =
                    cancel.jobs.into_iter().partition(|job| job.reason == "not_received");
                // An offer that nobody took in time went back, and gives its credit back.
                state.credits += back.len();
                state.offered.retain(|job| back.iter().all(|gone| gone.id != job.id));
                lost = gone;
            }
            Some(Said::Drain(drain)) => {
                if drain.reason == "worker" {
                    delivery.drain();
                }
                state.is_draining = true;
            }
            Some(Said::Alive(_)) | None => return,
        }
        state.close_drained();
        drop(state);
        self.announce();
        for job in lost {
            delivery.cancelled(&job.id, &job.reason);
        }
    }

    fn end(&self, end: End) {
        let mut state = self.state.lock();
        state.end = Some(end);
        state.offered.clear();
        // Whoever waits for an answer sees that none comes.
        state.answers.clear();
        state.out = None;
        drop(state);
        self.announce();
    }

    /// Whether jobs still come from here, or wait here to be taken.
    pub(super) fn delivers(&self) -> bool {
        let state = self.state.lock();
        state.end.is_none() && (!state.offered.is_empty() || (!state.is_draining && state.out.is_some()))
    }

    /// Raises the number of jobs that may come, with those that wait, to what the worker has room for.
    pub(super) fn grant(&self, room: usize) {
        let mut state = self.state.lock();
        let missing = room.saturating_sub(state.credits + state.offered.len());
        if missing == 0 || state.is_draining {
            return;
        }
        let count = u32::try_from(missing).unwrap_or(u32::MAX);
        if state.send(0, Sent::Credits(Credits { count })) {
            state.credits += missing;
        }
    }

    /// Takes jobs that wait. They are confirmed by that, and `keep` is called before: from then on the server may cancel them.
    pub(super) fn take(&self, count: usize, keep: impl FnOnce(&[PolledJob])) -> Result<Taken, ClientError> {
        // Before the look: what changes after it is seen.
        let changes = self.changes.subscribe();
        let mut state = self.state.lock();
        if let Some(end) = &state.end {
            return Err(end.error());
        }
        if state.offered.is_empty() {
            let is_over = state.is_draining || state.out.is_none();
            return Ok(if is_over { Taken::Over } else { Taken::Nothing(changes) });
        }
        let count = count.min(state.offered.len());
        keep(&state.offered[..count]);
        let ids = state.offered[..count].iter().map(|job| job.id.clone()).collect();
        if !state.send(0, Sent::Received(Received { ids })) {
            // Not confirmed, they go back.
            return Ok(Taken::Nothing(changes));
        }
        let jobs = state.offered.drain(..count).collect();
        state.close_drained();
        Ok(Taken::Jobs(jobs))
    }

    /// Sends a report and waits for the answer to it; `None` where the stream ends before, or has no room.
    pub(super) async fn report(&self, message: Sent) -> Option<ReportOutcome> {
        let (answer, said) = oneshot::channel();
        {
            let mut state = self.state.lock();
            state.number += 1;
            let number = state.number;
            if !state.send(number, message) {
                return None;
            }
            state.answers.insert(number, answer);
        }
        said.await.ok()
    }

    /// Takes no more jobs; what was reported is still answered.
    pub(super) fn half_close(&self) {
        let mut state = self.state.lock();
        state.is_draining = true;
        state.offered.clear();
        state.close_drained();
        drop(state);
        self.announce();
    }
}

impl State {
    /// Puts a message into the queue; false where nothing is sent any more, or there is no room.
    fn send(&self, number: u64, message: Sent) -> bool {
        let message = FromWorker { number, message: Some(message) };
        self.out.as_ref().is_some_and(|out| out.try_send(message).is_ok())
    }

    /// Half-closes a drained stream once nothing is on its way.
    fn close_drained(&mut self) {
        self.answers.retain(|_, answer| !answer.is_closed());
        if self.is_draining && self.answers.is_empty() && self.offered.is_empty() {
            self.out = None;
        }
    }
}

impl End {
    fn of(error: ClientError) -> Self {
        match error {
            ClientError::Problem(problem) => Self::Refused(problem),
            other => Self::Broke(other.to_string()),
        }
    }

    fn error(&self) -> ClientError {
        match self {
            Self::Refused(problem) => ClientError::Problem(problem.clone()),
            Self::Broke(text) => ClientError::connection(CALL, text.clone()),
        }
    }
}

/// Reads a stream to its end, and says that the worker is there.
struct Reader {
    stream: Arc<Stream>,
    shared: Arc<Shared>,
    delivery: Arc<Delivery>,
    link: Link,
}

impl Reader {
    async fn run(self, mut inbound: Streaming<ToWorker>) {
        let silence = *self.shared.silence.lock();
        let mut alive = interval_at(Instant::now() + ALIVE_EVERY, ALIVE_EVERY);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let end = loop {
            let heard = Instant::now();
            let mut next = std::pin::pin!(timeout(silence, inbound.message()));
            let message = loop {
                tokio::select! {
                    message = &mut next => break message,
                    _ = alive.tick() => {
                        // Without room, what waits says the same.
                        self.stream.state.lock().send(0, Sent::Alive(Alive::default()));
                    }
                }
            };
            match message {
                Ok(Ok(Some(message))) => {
                    self.link.hear();
                    self.stream.handle(message, &self.delivery);
                }
                Ok(Ok(None)) => break End::Broke("the server ended the stream".to_owned()),
                Ok(Err(status)) => break End::of(error_of(CALL, status)),
                Err(_) => {
                    self.shared.replace(&self.link, heard + silence);
                    break End::Broke("nothing came over the stream for too long".to_owned());
                }
            }
        };
        self.stream.end(end);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::{mpsc, watch};

    use super::super::proto::{Cancel, Drain, Offer, Outcome};
    use super::*;

    fn stream() -> (Arc<Stream>, mpsc::Receiver<FromWorker>) {
        let (out, sent) = mpsc::channel(16);
        let state = State { out: Some(out), ..State::default() };
        (Arc::new(Stream { state: Mutex::new(state), changes: watch::Sender::new(0) }), sent)
    }

    fn say(stream: &Stream, message: Said) {
        stream.handle(ToWorker { message: Some(message) }, &Delivery::default());
    }

    fn offer(id: &str) -> Said {
        Said::Offer(Offer { jobs: vec![PolledJob { id: id.to_owned(), ..PolledJob::default() }] })
    }

    fn taken(stream: &Stream) -> Vec<String> {
        match stream.take(10, |_| ()).expect("a stream") {
            Taken::Jobs(jobs) => jobs.into_iter().map(|job| job.id).collect(),
            Taken::Nothing(_) => Vec::new(),
            Taken::Over => vec!["over".to_owned()],
        }
    }

    fn sent(sent: &mut mpsc::Receiver<FromWorker>) -> Option<Sent> {
        sent.try_recv().ok().and_then(|message| message.message)
    }

    #[test]
    fn credits_are_what_is_missing_and_taking_a_job_is_its_receipt() {
        let (stream, mut out) = stream();
        stream.grant(3);
        assert_eq!(sent(&mut out), Some(Sent::Credits(Credits { count: 3 })));
        say(&stream, offer("job_1"));
        stream.grant(3);
        assert_eq!(sent(&mut out), None, "two credits and one offer are three");
        assert_eq!(taken(&stream), ["job_1"]);
        assert_eq!(sent(&mut out), Some(Sent::Received(Received { ids: vec!["job_1".to_owned()] })));
        stream.grant(3);
        assert_eq!(sent(&mut out), Some(Sent::Credits(Credits { count: 1 })));
    }

    #[test]
    fn an_offer_that_went_back_gives_its_credit_back() {
        let (stream, mut out) = stream();
        stream.grant(1);
        say(&stream, offer("job_1"));
        let back = CancelledJob { id: "job_1".to_owned(), reason: "not_received".to_owned() };
        say(&stream, Said::Cancel(Cancel { jobs: vec![back] }));
        assert!(taken(&stream).is_empty());
        stream.grant(1);
        assert_eq!(sent(&mut out), Some(Sent::Credits(Credits { count: 1 })));
        assert_eq!(sent(&mut out), None);
    }

    #[tokio::test]
    async fn a_drained_stream_gives_no_more_and_is_half_closed_after_its_last_answer() {
        let (stream, mut out) = stream();
        let reported = tokio::spawn({
            let stream = Arc::clone(&stream);
            async move { stream.report(Sent::Alive(Alive::default())).await }
        });
        let number = out.recv().await.expect("a report").number;
        say(&stream, Said::Drain(Drain { reason: "age".to_owned() }));
        assert_eq!(taken(&stream), ["over"]);
        assert!(!stream.delivers());
        let results = vec![Outcome { outcome: "ok".to_owned(), ..Outcome::default() }];
        say(&stream, Said::Outcome(ReportOutcome { number, results, error: None }));
        assert_eq!(reported.await.expect("no panic").expect("an answer").results.len(), 1);
        assert!(out.recv().await.is_none(), "half-closed");
    }

    #[test]
    fn a_job_is_kept_before_its_receipt_is_sent() {
        let (stream, mut out) = stream();
        say(&stream, offer("job_1"));
        let mut kept = Vec::new();
        let taken = stream.take(1, |jobs| {
            assert_eq!(sent(&mut out), None, "the server may cancel what it knows to be received");
            kept.extend(jobs.iter().map(|job| job.id.clone()));
        });
        assert!(matches!(taken, Ok(Taken::Jobs(_))));
        assert_eq!(kept, ["job_1"]);
    }

    #[tokio::test]
    async fn a_broken_stream_answers_no_report_and_fails_polls() {
        let (stream, mut out) = stream();
        let reported = tokio::spawn({
            let stream = Arc::clone(&stream);
            async move { stream.report(Sent::Alive(Alive::default())).await }
        });
        out.recv().await.expect("a report");
        stream.end(End::Broke("cut".to_owned()));
        assert!(reported.await.expect("no panic").is_none());
        assert!(matches!(stream.take(1, |_| ()), Err(ClientError::Connection { .. })));
        assert!(stream.report(Sent::Alive(Alive::default())).await.is_none());
    }
}
