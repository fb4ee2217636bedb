//! What the worker sends on its stream.

use std::sync::Arc;

use domain::error::Fault;
use domain::id::JobId;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::problem::ProblemCode;
use domain::time::DurationMs;
use engine::{Engine, PollRequest, Problem};
use tokio::time::Instant;

use super::reports::{Reader, Report, Reported};
use super::session::Session;
use crate::meter::MessageRoom;
use crate::proto::from_worker::Message as Sent;
use crate::proto::to_worker::Message;
use crate::proto::{FromWorker, Hello, ReportOutcome};
use crate::status;

impl Session {
    /// Takes a message in, whose bytes have taken room; what cannot be on a stream at all ends it.
    pub(super) async fn read(&mut self, sent: FromWorker, room: MessageRoom) -> Result<(), Problem> {
        let number = sent.number;
        let gate = Arc::clone(&self.parts.shared.parts.gate);
        let reader = Reader::new(gate.as_ref());
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
                return Err(Problem::new(422, ProblemCode::Invalid, "A stream begins with hello once."));
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
        self.begin_report(number, report, room);
        Ok(())
    }

    /// Carries a report out, whose message has this room until then.
    fn begin_report(&mut self, number: u64, report: Result<Report, Problem>, room: MessageRoom) {
        match report {
            Ok(report) => {
                // Whoever reports on a job has it.
                for lease in report.leases() {
                    self.received(lease.id);
                }
                let (engine, caller) = (self.engine().clone(), self.parts.caller.clone());
                self.reports.push(Box::pin(async move {
                    let reported = report.carry_out(engine, caller, number).await;
                    drop(room);
                    reported
                }));
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

// The first message of a stream: who the worker is.

/// What the worker of a stream polls with, the number of jobs apart. Its leases hold for what was asked for after the
/// receipt, however long that takes.
pub(super) fn request_of(
    engine: &Engine,
    hello: Hello,
    receipt_within: DurationMs,
) -> Result<PollRequest, Problem> {
    let mut faults = Vec::new();
    let worker_id =
        WorkerId::parse(hello.worker_id).map_err(|fault| Fault::new("/workerId", fault.to_string()));
    let worker_id = worker_id.map_err(|fault| faults.push(fault)).ok();
    let mut job_types = Vec::with_capacity(hello.job_types.len());
    for (index, name) in hello.job_types.into_iter().enumerate() {
        match JobType::parse(name) {
            Ok(job_type) => job_types.push(job_type),
            Err(fault) => faults.push(Fault::new(format!("/jobTypes/{index}"), fault.to_string())),
        }
    }
    let tenant = hello.tenant.map(TenantName::parse).transpose();
    let tenant = tenant.map_err(|fault| faults.push(Fault::new("/tenant", fault.to_string()))).ok().flatten();
    let build = hello.build.map(CallerKey::parse).transpose();
    let build = build.map_err(|fault| faults.push(Fault::new("/build", fault.to_string()))).ok().flatten();
    let mut builds = Vec::with_capacity(hello.builds.len());
    for (index, name) in hello.builds.into_iter().enumerate() {
        match CallerKey::parse(name) {
            Ok(named) => builds.push(named),
            Err(fault) => faults.push(Fault::new(format!("/builds/{index}"), fault.to_string())),
        }
    }
    let policy = engine.policy();
    let lease = hello.lease.as_deref().map(DurationMs::parse).transpose();
    let lease = lease.map_err(|fault| faults.push(Fault::new("/lease", fault.to_string()))).ok().flatten();
    let (min, max) = (policy.lease_min, policy.lease_max);
    if lease.is_some_and(|lease| lease < min || lease > max) {
        faults.push(Fault::new("/lease", format!("expected a duration from {min} to {max}")));
    }
    let Some(worker_id) = worker_id.filter(|_| faults.is_empty()) else {
        return Err(Problem::invalid(faults));
    };
    let lease = lease.unwrap_or(policy.queue(domain::queue::QueueName::Node).lease);
    Ok(PollRequest {
        worker_id,
        job_types,
        jobs_max: 1,
        lease: Some(DurationMs(lease.0 + receipt_within.0).min(max)),
        wait: Some(policy.poll_wait_max),
        tenant,
        build,
        builds,
    })
}
