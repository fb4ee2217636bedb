//! The settler: reports of finished attempts go to the store in batches, from one task.
//!
//! It takes whatever has arrived while the last batch was written, and never waits for a batch to fill. Decides
//! nothing: what becomes of a job is the engine's business.

use std::collections::VecDeque;
use std::error::Error;
use std::time::Duration;

use domain::job::{AttemptFacts, Outcome};
use engine::{Engine, EngineError, LeaseOutcome};
use store::jobs::LeaseRef;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::backoff::Backoff;
use crate::hands::Hand;
use crate::held_job::HeldJob;

/// The most reports of one batch.
const BATCH_MAX: usize = 500;

/// The waits while the store is unavailable.
const WAIT_MIN: Duration = Duration::from_millis(100);
const WAIT_MAX: Duration = Duration::from_secs(5);

/// What is to be done with a lease.
#[derive(Debug)]
enum Report {
    Settle { facts: AttemptFacts, outcome: Outcome },
    Release,
}

#[derive(Debug)]
struct Line {
    lease: LeaseRef,
    report: Report,
    /// Freed when the report is through.
    _hand: Hand,
}

/// Where handlers send their reports. Bounded by the hands of the pools, of which each report holds one.
#[derive(Debug, Clone)]
pub(crate) struct Reports(UnboundedSender<Line>);

impl Reports {
    /// Reports how an attempt ended. The lease is no longer renewed.
    pub(crate) fn settle(&self, held: HeldJob, outcome: Outcome) {
        let facts = held.job.facts;
        self.send(held, Report::Settle { facts, outcome });
    }

    /// Gives a job back without consuming an attempt.
    pub(crate) fn release(&self, held: HeldJob) {
        self.send(held, Report::Release);
    }

    fn send(&self, held: HeldJob, report: Report) {
        let line = Line { lease: held.lease.lease, report, _hand: held.hand };
        // Nobody listens only after the settler was stopped; the lease then runs out by itself.
        let _ = self.0.send(line);
    }
}

/// The running settler.
pub(crate) struct Settler {
    task: JoinHandle<()>,
    stop: CancellationToken,
}

impl Settler {
    /// Starts it.
    pub(crate) fn start(engine: Engine) -> (Self, Reports) {
        let (sender, receiver) = unbounded_channel();
        let stop = CancellationToken::new();
        let task = tokio::spawn(run(engine, receiver, stop.clone()));
        (Self { task, stop }, Reports(sender))
    }

    /// Ends it after the batch at hand; what the store does not take now is left to the leases.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the settler ended badly");
        }
    }
}

async fn run(engine: Engine, mut receiver: UnboundedReceiver<Line>, stop: CancellationToken) {
    let mut lines = Vec::new();
    loop {
        let count = tokio::select! {
            biased;
            count = receiver.recv_many(&mut lines, BATCH_MAX) => count,
            () = stop.cancelled() => 0,
        };
        if count == 0 {
            return;
        }
        write(&engine, std::mem::take(&mut lines), &stop).await;
    }
}

/// Writes a batch. Ends when it is written, or cannot be, or when the settler is stopped while the store is away.
async fn write(engine: &Engine, lines: Vec<Line>, stop: &CancellationToken) {
    let (settlements, releases): (Vec<_>, Vec<_>) =
        lines.into_iter().partition(|line| matches!(line.report, Report::Settle { .. }));
    let mut batches: VecDeque<Vec<Line>> = [settlements, releases].into_iter().filter(|part| !part.is_empty()).collect();
    let mut backoff = Backoff::new(WAIT_MIN, WAIT_MAX);
    while let Some(mut batch) = batches.pop_front() {
        match write_once(engine, &batch).await {
            Ok(()) => backoff.reset(),
            Err(error) if error.is_retryable() => {
                let wait = backoff.next(engine.entropy().jitter());
                tracing::warn!(
                    error = &error as &dyn Error, reports = batch.len(), wait_ms = wait.as_millis() as u64,
                    "reports wait for the store"
                );
                batches.push_front(batch);
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    () = stop.cancelled() => return,
                }
            }
            // One bad report must not take the others with it: halve until it is alone.
            Err(error) if batch.len() > 1 => {
                tracing::warn!(error = &error as &dyn Error, reports = batch.len(), "a batch of reports was refused");
                let rest = batch.split_off(batch.len() / 2);
                batches.push_front(rest);
                batches.push_front(batch);
            }
            Err(error) => {
                let id = batch[0].lease.id;
                tracing::error!(job.id = %id, error = &error as &dyn Error, "a report was refused; its lease runs out");
            }
        }
    }
}

async fn write_once(engine: &Engine, batch: &[Line]) -> Result<(), EngineError> {
    let settlements: Vec<_> = batch
        .iter()
        .filter_map(|line| match &line.report {
            Report::Settle { facts, outcome } => Some((line.lease, *facts, outcome.clone())),
            Report::Release => None,
        })
        .collect();
    if settlements.is_empty() {
        return engine.release(batch.iter().map(|line| line.lease).collect()).await;
    }
    let answers = engine.settle(settlements).await?;
    for (line, answer) in batch.iter().zip(answers) {
        if answer == LeaseOutcome::LeaseLost {
            metrics::counter!("trunkline_leases_lost_total").increment(1);
            tracing::info!(job.id = %line.lease.id, "a lease was lost before its result arrived; the result is dropped");
        }
    }
    Ok(())
}
