//! Reports the ends of jobs: what ends while a report is under way goes into the next one, and nothing is given up while the
//! server may come back.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::sleep;

use super::channel::{Report, ReportKind, Settled};
use super::health::HealthStatus;
use super::runner::Runner;
use crate::error::ClientError;
use crate::models::{LeaseOutcome, Outcome, Poll, PolledJobs};
use crate::repeat;

const REPORTS_MAX: usize = 100;

type Answer = Result<Outcome, ClientError>;

/// A report, and who waits for the answer to it.
struct Waiting {
    report: Report,
    answer: oneshot::Sender<Answer>,
}

/// Reports that wait, by kind.
#[derive(Default)]
pub(super) struct Queues {
    waiting: HashMap<ReportKind, VecDeque<Waiting>>,
    active: HashSet<ReportKind>,
}

impl Runner {
    /// Reports one job and gives what the server said of it.
    pub(super) async fn report(self: &Arc<Self>, kind: ReportKind, report: Report) -> Answer {
        let (answer, said) = oneshot::channel();
        {
            let mut queues = self.queues.lock();
            queues.waiting.entry(kind).or_default().push_back(Waiting { report, answer });
            if queues.active.insert(kind) {
                tokio::spawn(Arc::clone(self).send_reports(kind));
            }
        }
        said.await.unwrap_or_else(|error| Err(ClientError::connection(kind.as_str(), error)))
    }

    async fn send_reports(self: Arc<Self>, kind: ReportKind) {
        while let Some(batch) = self.next_batch(kind) {
            self.send_batch(kind, batch).await;
        }
    }

    fn next_batch(&self, kind: ReportKind) -> Option<Vec<Waiting>> {
        let mut queues = self.queues.lock();
        let waiting = queues.waiting.entry(kind).or_default();
        let batch: Vec<Waiting> = waiting.drain(..waiting.len().min(REPORTS_MAX)).collect();
        if batch.is_empty() {
            queues.active.remove(&kind);
            return None;
        }
        Some(batch)
    }

    async fn send_batch(self: &Arc<Self>, kind: ReportKind, mut batch: Vec<Waiting>) {
        let reports: Vec<Report> = batch.iter().map(|waiting| waiting.report.clone()).collect();
        let poll = self.next_poll(kind, batch.len());
        let error = match self.send_until_taken(kind, &reports, poll).await {
            Ok(settled) => return self.answer_all(batch, settled),
            Err(error) => error,
        };
        if batch.len() == 1 {
            // Whoever gave up waiting need not know.
            return batch.pop().map_or((), |waiting| drop(waiting.answer.send(Err(error))));
        }
        // One report spoils the batch: each by itself shows which.
        for waiting in batch {
            let settled = self.send_until_taken(kind, std::slice::from_ref(&waiting.report), None).await;
            match settled {
                Ok(settled) => self.answer_all(vec![waiting], settled),
                Err(error) => drop(waiting.answer.send(Err(error))),
            }
        }
    }

    async fn send_until_taken(
        &self,
        kind: ReportKind,
        reports: &[Report],
        mut poll: Option<Poll>,
    ) -> Result<Settled, ClientError> {
        for attempt in 0.. {
            let error = match self.channel.send(kind, reports, poll.as_ref()).await {
                Ok(settled) => return Ok(settled),
                Err(error) => error,
            };
            // Jobs come by polls of their own until the report is through. A server of before has no polls in reports.
            let had_poll = poll.take().is_some();
            if had_poll && error.problem().is_some_and(|problem| problem.code == "invalid") {
                continue;
            }
            if !error.is_transient() && !matches!(error, ClientError::Timeout { .. }) {
                return Err(error);
            }
            sleep(repeat::delay(&error, attempt, repeat::random())).await;
        }
        unreachable!("tries end by returning")
    }

    /// Asks for as many jobs as are reported where no slot is free besides: otherwise a poll waits for jobs already.
    fn next_poll(&self, kind: ReportKind, jobs: usize) -> Option<Poll> {
        let is_asked = kind != ReportKind::Release
            && !self.client.transport.pushes()
            && self.health.status() == HealthStatus::Ok
            && self.free() == 0;
        is_asked.then(|| Poll { max_jobs: i32::try_from(jobs).ok(), ..self.poll_request() })
    }

    fn answer_all(self: &Arc<Self>, batch: Vec<Waiting>, settled: Settled) {
        // Before the reported jobs make room: what came takes it.
        let polled = PolledJobs { jobs: settled.jobs.unwrap_or_default(), drain: settled.drain };
        if !polled.jobs.is_empty() || polled.drain.is_some() {
            self.take(polled);
        }
        let mut results = settled.results.into_iter();
        for waiting in batch {
            let said = results.next().unwrap_or_else(|| Outcome {
                id: waiting.report.id.clone(),
                outcome: LeaseOutcome::Ok,
                ..Outcome::default()
            });
            // Whoever gave up waiting need not know.
            let _ = waiting.answer.send(Ok(said));
        }
    }
}
