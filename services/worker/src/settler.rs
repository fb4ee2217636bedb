//! The settler: reports of finished attempts go to the store in batches.
//!
//! It takes whatever has arrived while the last batches were written, and never waits for a batch to fill. Where the
//! store can use it, the next batch is not kept waiting for the flush of the one before. Decides nothing: what becomes
//! of a job is the engine's business. Results of nodes whose owner is in this process do not come here at all.

use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::job::{AttemptFacts, Outcome};
use domain::queue::QueueName;
use domain::retry::Jitter;
use domain::time::DurationMs;
use engine::{Engine, EngineError, write_by_halves};
use futures::FutureExt;
use futures::future::BoxFuture;
use store::jobs::{LeaseAnswer, LeaseRef};
use telemetry::names;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinError, JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::backoff::Backoff;
use crate::slots::{HeldJob, WorkerSlot};

/// The most reports of one batch.
const BATCH_MAX: usize = 500;

/// Beside a batch that is being written, another one is not written for less than a part of the slots, and for so many
/// in any case: a busy pool writes few large batches that way.
const SECOND_PART: usize = 4;
const SECOND_MIN: usize = 64;

/// How often others are let go first while they bring more reports: jobs that were claimed together often end together.
const GATHER_TURNS: usize = 64;

/// The waits while the store is unavailable.
const WAIT_MIN: Duration = Duration::from_millis(100);
const WAIT_MAX: Duration = Duration::from_secs(5);

/// For so long a job is left alone whose report no process could write without a key.
const KEY_WAIT: DurationMs = DurationMs::from_secs(60);

/// What is to be done with a lease.
#[derive(Debug)]
enum Report {
    Settle {
        facts: AttemptFacts,
        outcome: Outcome,
    },
    Release,
    /// Given back for so long.
    PutOff(DurationMs),
}

#[derive(Debug)]
struct Line {
    lease: LeaseRef,
    queue: QueueName,
    report: Report,
    /// Freed when the report is through.
    _slot: WorkerSlot,
}

impl Line {
    const fn is_settlement(&self) -> bool {
        matches!(self.report, Report::Settle { .. })
    }
}

/// Where handlers send their reports. Bounded by the slots of the pools, of which each report holds one.
#[derive(Clone)]
pub(crate) struct Reports {
    lines: UnboundedSender<Line>,
    sink: Arc<dyn Sink>,
}

impl Reports {
    /// Reports how an attempt ended. Where the owner of an execution takes the result, its commit is waited for, with
    /// the lease and outside all batches. Otherwise the lease is no longer renewed.
    pub(crate) async fn settle(&self, mut held: HeldJob, outcome: Outcome) {
        if let Outcome::Completed(result) = &outcome
            && let Some(written) = self.sink.deliver_to_owner(held.lease.lease, result.as_deref())
        {
            held.slot.record_returning();
            if written.await {
                return;
            }
        }
        let facts = held.job.facts;
        self.send(held, Report::Settle { facts, outcome });
    }

    /// Gives a job back without consuming an attempt.
    pub(crate) fn release(&self, held: HeldJob) {
        self.send(held, Report::Release);
    }

    /// The same; the job runs again after a while.
    pub(crate) fn put_off(&self, held: HeldJob, delay: DurationMs) {
        self.send(held, Report::PutOff(delay));
    }

    fn send(&self, held: HeldJob, report: Report) {
        let mut slot = held.slot;
        slot.record_returning();
        let line = Line { lease: held.lease.lease, queue: held.job.queue, report, _slot: slot };
        // Nobody listens only after the settler was stopped; the lease then runs out by itself.
        let _ = self.lines.send(line);
    }
}

/// What reports are written to.
#[async_trait]
pub(crate) trait Sink: Send + Sync + 'static {
    /// Settles attempts; answers in order.
    async fn settle(&self, reports: Vec<AttemptReport>) -> Result<Vec<LeaseAnswer>, EngineError>;

    /// Delivers the result of a node to the owner of its execution, if that is in this process; resolves to whether it
    /// was committed.
    fn deliver_to_owner(&self, lease: LeaseRef, result: Option<&str>) -> Option<BoxFuture<'static, bool>>;

    /// Gives leases back.
    async fn release(&self, leases: Vec<LeaseRef>) -> Result<(), EngineError>;

    /// Gives leases back, each for a while.
    async fn put_off(&self, leases: Vec<(LeaseRef, DurationMs)>) -> Result<(), EngineError>;

    /// How many batches may be under way at once.
    fn writes_at_once(&self) -> usize;

    /// Spreads the waits between tries.
    fn jitter(&self) -> Jitter;
}

/// The report of one attempt, as the engine takes it.
type AttemptReport = (LeaseRef, AttemptFacts, Outcome);

#[async_trait]
impl Sink for Engine {
    async fn settle(&self, reports: Vec<AttemptReport>) -> Result<Vec<LeaseAnswer>, EngineError> {
        Self::settle(self, reports).await
    }

    fn deliver_to_owner(&self, lease: LeaseRef, result: Option<&str>) -> Option<BoxFuture<'static, bool>> {
        Self::deliver_to_owner(self, lease, result).map(|ack| ack.is_written().boxed())
    }

    async fn release(&self, leases: Vec<LeaseRef>) -> Result<(), EngineError> {
        Self::release(self, leases).await
    }

    async fn put_off(&self, leases: Vec<(LeaseRef, DurationMs)>) -> Result<(), EngineError> {
        Self::release_later(self, leases).await
    }

    fn writes_at_once(&self) -> usize {
        self.store().writes_at_once()
    }

    fn jitter(&self) -> Jitter {
        self.entropy().jitter()
    }
}

/// The running settler.
pub(crate) struct Settler {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Settler {
    /// Starts it. `slots` is the number of slots of the largest pool that reports to it.
    pub(crate) fn start(sink: impl Sink, slots: usize) -> (Self, Reports) {
        let (lines, receiver) = unbounded_channel();
        let (sink, stop): (Arc<dyn Sink>, _) = (Arc::new(sink), CancellationToken::new());
        let second_min = second_min(slots);
        let task = tokio::spawn(run(Arc::clone(&sink), receiver, second_min, stop.clone()));
        (Self { task, stop }, Reports { lines, sink })
    }

    /// Ends it after the current batch; the leases of what the store does not accept now run out.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the settler panicked or was cancelled");
        }
    }
}

fn second_min(slots: usize) -> usize {
    (slots / SECOND_PART).clamp(SECOND_MIN, BATCH_MAX)
}

async fn run(
    sink: Arc<dyn Sink>,
    mut receiver: UnboundedReceiver<Line>,
    second_min: usize,
    stop: CancellationToken,
) {
    let at_once = sink.writes_at_once().max(1);
    let mut writes = JoinSet::new();
    let mut lines = Vec::new();
    while gather(&mut receiver, &mut lines, &stop).await {
        // With nothing under way it is written at once. Otherwise it grows until it is worth a write of its own.
        while !writes.is_empty() && (writes.len() >= at_once || lines.len() < second_min) {
            let room = BATCH_MAX - lines.len();
            tokio::select! {
                ended = writes.join_next() => ended.into_iter().for_each(record_end),
                count = receiver.recv_many(&mut lines, room), if room > 0 => {
                    if count == 0 {
                        break;
                    }
                }
            }
        }
        let (sink, stop, lines) = (Arc::clone(&sink), stop.clone(), std::mem::take(&mut lines));
        writes.spawn(async move { write(sink.as_ref(), lines, &stop).await });
    }
    while let Some(ended) = writes.join_next().await {
        record_end(ended);
    }
}

/// The slots of a batch whose write panicked are free; its leases run out.
fn record_end(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a write of reports panicked or was cancelled");
    }
}

/// Waits for a report and takes what has arrived, with what comes along. Answers whether there is anything to write.
async fn gather(
    receiver: &mut UnboundedReceiver<Line>,
    lines: &mut Vec<Line>,
    stop: &CancellationToken,
) -> bool {
    let count = tokio::select! {
        biased;
        count = receiver.recv_many(lines, BATCH_MAX) => count,
        () = stop.cancelled() => 0,
    };
    for _ in 0..GATHER_TURNS {
        let before = lines.len();
        tokio::task::yield_now().await;
        while lines.len() < BATCH_MAX
            && let Ok(line) = receiver.try_recv()
        {
            lines.push(line);
        }
        if lines.len() == before {
            break;
        }
    }
    count > 0
}

/// Writes a batch. Ends when it is written, or cannot be, or when the settler is stopped while the store is away.
async fn write(sink: &dyn Sink, lines: Vec<Line>, stop: &CancellationToken) {
    let (settlements, others): (Vec<_>, Vec<_>) = lines.into_iter().partition(Line::is_settlement);
    let (releases, put_off): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|line| matches!(line.report, Report::Release));
    let mut batches: VecDeque<Vec<Line>> =
        [settlements, releases, put_off].into_iter().filter(|part| !part.is_empty()).collect();
    let mut backoff = Backoff::new(WAIT_MIN, WAIT_MAX);
    while let Some(mut batch) = batches.pop_front() {
        // One bad report, or the missing key of one tenant, must not take the others with it.
        let is_of_one = |error: &EngineError| !error.is_retryable() || error.is_for_another_process();
        let parts = write_by_halves(batch.len(), is_of_one, |part| write_once(sink, &batch[part])).await;
        let rest = batch.split_off(parts.items.len());
        let refused =
            batch.into_iter().zip(parts.items).filter_map(|(line, written)| Some((line, written.err()?)));
        let closed: Vec<Line> = refused.filter_map(|(line, error)| after_refusal(line, &error)).collect();
        if !closed.is_empty() {
            batches.push_front(closed);
        }
        let Some(error) = parts.stopped else {
            backoff.reset();
            continue;
        };
        let wait = backoff.next(sink.jitter());
        tracing::warn!(
            error = &error as &dyn Error,
            reports = rest.len(),
            wait_ms = wait.as_millis() as u64,
            "reports could not be written; retrying"
        );
        batches.push_front(rest);
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = stop.cancelled() => return,
        }
    }
}

/// What is still to be written for a report that was refused by itself.
fn after_refusal(mut line: Line, error: &EngineError) -> Option<Line> {
    let id = line.lease.id;
    if error.is_for_another_process() && line.is_settlement() {
        // Whoever has the key makes the attempt again, and this one does not count.
        tracing::error!(job.id = %id, error = error as &dyn Error, "a report needs a payload key that this process does not have; its job is delayed");
        line.report = Report::PutOff(KEY_WAIT);
        return Some(line);
    }
    tracing::error!(job.id = %id, error = error as &dyn Error, "a report was rejected; its lease will expire");
    None
}

/// Writes a batch, whose reports are of one kind. Answers for each.
async fn write_once(sink: &dyn Sink, batch: &[Line]) -> Result<Vec<()>, EngineError> {
    let (mut settlements, mut releases, mut put_off) = (Vec::new(), Vec::new(), Vec::new());
    for line in batch {
        match &line.report {
            Report::Settle { facts, outcome } => settlements.push((line.lease, *facts, outcome.clone())),
            Report::Release => releases.push(line.lease),
            Report::PutOff(delay) => put_off.push((line.lease, *delay)),
        }
    }
    let written = vec![(); batch.len()];
    if !releases.is_empty() {
        return sink.release(releases).await.map(|()| written);
    }
    if !put_off.is_empty() {
        return sink.put_off(put_off).await.map(|()| written);
    }
    let answers = sink.settle(settlements).await?;
    for (line, answer) in batch.iter().zip(answers) {
        if answer == LeaseAnswer::LeaseLost {
            lease_lost(line.queue);
            tracing::info!(job.id = %line.lease.id, "a lease was lost before its result arrived; the result is dropped");
        }
    }
    Ok(written)
}

/// A lease that turned out to be lost.
pub(crate) fn lease_lost(queue: QueueName) {
    metrics::counter!(names::LEASE_LOST_TOTAL, names::QUEUE => queue.as_str()).increment(1);
}

#[cfg(test)]
mod tests;
