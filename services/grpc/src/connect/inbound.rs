//! What the worker sends on its stream.

use std::sync::Arc;

use domain::id::JobId;
use engine::Problem;
use tokio::time::Instant;

use super::reports::{Reader, Report, Reported};
use super::session::Session;
use crate::proto::from_worker::Message as Sent;
use crate::proto::to_worker::Message;
use crate::proto::{FromWorker, ReportOutcome};
use crate::status;

impl Session {
    /// Takes a message in; what cannot be on a stream at all ends it.
    pub(super) async fn read(&mut self, sent: FromWorker) -> Result<(), Problem> {
        let number = sent.number;
        let gate = Arc::clone(&self.parts.shared.parts.gate);
        let reader = Reader(gate.as_ref());
        let report = match sent.message {
            Some(Sent::Credits(credits)) => {
                self.credits = self.credits.saturating_add(credits.count).min(self.options.credits_max);
                return Ok(());
            }
            Some(Sent::Received(received)) => {
                for id in received.ids.iter().filter_map(|id| JobId::parse(id)) {
                    self.received(id);
                }
                return Ok(());
            }
            Some(Sent::Hello(_)) => {
                return Err(Problem::new(422, "invalid", "A stream begins with hello once."));
            }
            // What a later version may send as well.
            Some(Sent::Alive(_)) | None => return Ok(()),
            Some(Sent::Complete(sent)) => reader.complete(sent),
            Some(Sent::Fail(sent)) => reader.fail(sent),
            Some(Sent::Heartbeat(sent)) => reader.heartbeat(sent),
            Some(Sent::Release(sent)) => Reader::release(sent),
        };
        // A key that is over its rate is read more slowly: its reports are not refused.
        if let Some(wait) = gate.count(&self.parts.caller).await {
            self.times.read = Instant::now() + wait.to_std();
        }
        self.begin_report(number, report);
        Ok(())
    }

    fn begin_report(&mut self, number: u64, report: Result<Report, Problem>) {
        match report {
            Ok(report) => {
                // Whoever reports on a job has it.
                for lease in report.leases() {
                    self.received(lease.id);
                }
                let (engine, caller) = (self.engine().clone(), self.parts.caller.clone());
                self.reports.push(Box::pin(report.carry_out(engine, caller, number)));
            }
            Err(problem) => self.answer(Reported { number, outcomes: Err(problem), done: Vec::new() }),
        }
    }

    /// Answers a report.
    pub(super) fn answer(&mut self, reported: Reported) {
        let Reported { number, outcomes, done } = reported;
        for id in done {
            self.held.remove(id);
        }
        let (results, error) = match outcomes {
            Ok(results) => (results, None),
            Err(problem) => (Vec::new(), Some(status::message_of(problem))),
        };
        self.outbox.send(Message::Outcome(ReportOutcome { number, results, error }));
    }

    fn received(&mut self, id: JobId) {
        if let Some(lease) = self.offers.received(id) {
            self.held.add(lease);
        }
    }
}
