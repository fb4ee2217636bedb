//! Which jobs a worker gets on its stream, and which it loses.

use axum::http::Response;
use domain::id::JobId;
use engine::{EngineError, PollRequest, PolledJobs};
use tokio::time::{Duration, Instant};
use tonic::Status;

use super::held::Lost;
use super::reports;
use super::session::{Looked, Session};
use crate::proto::to_worker::Message;
use crate::proto::{Cancel, CancelledJob, Offer};
use crate::status;

/// How long no jobs are claimed after that failed for a while.
const REST: Duration = Duration::from_secs(1);

impl Session {
    /// Claims jobs as long as the worker has room and takes what it is sent.
    pub(super) fn begin_poll(&mut self) {
        let is_wanted = self.credits > 0
            && self.poll.is_none()
            && !self.is_suspended
            && !self.is_half_closed
            && self.times.end.is_none()
            && Instant::now() >= self.times.poll
            && self.outbox.has_room(self.options.buffer_bytes_max);
        if is_wanted {
            let engine = self.engine().clone();
            let caller = self.parts.caller.clone();
            let jobs_max = self.credits.min(engine.policy().poll_jobs_max);
            let request = PollRequest { jobs_max, ..self.request.clone() };
            self.poll = Some(Box::pin(async move { engine.poll_on_stream(&caller, request).await }));
        }
    }

    /// Offers what was claimed.
    pub(super) fn offer(&mut self, polled: Result<PolledJobs, EngineError>) -> Result<(), Option<Status>> {
        let PolledJobs { jobs, mut earlier, receipt, is_draining } = match polled {
            Ok(polled) => polled,
            Err(error) if error.is_retryable() => {
                self.times.poll = Instant::now() + REST;
                return Ok(());
            }
            Err(error) => return Err(Some(status::of_problem(error.into()))),
        };
        if is_draining {
            self.drain("worker");
            return Ok(());
        }
        if jobs.is_empty() || self.times.end.is_some() {
            return Ok(());
        }
        let shows_payloads = self.parts.caller.shows_payloads();
        let jobs: Vec<_> = jobs
            .into_iter()
            .map(|job| {
                let earlier = earlier.remove(&job.id).unwrap_or_default();
                reports::polled_job(job, earlier, shows_payloads)
            })
            .collect();
        self.credits = self.credits.saturating_sub(jobs.len() as u32);
        self.offers.add(receipt, self.options.receipt_within.to_std());
        self.outbox.send(Message::Offer(Offer { jobs }));
        Ok(())
    }

    /// The worker did not confirm these: it may never have got them.
    pub(super) fn take_back(&mut self, late: &[JobId]) {
        metrics::counter!("trunkline_grpc_offers_returned_total").increment(late.len() as u64);
        self.is_suspended = true;
        self.credits = self.credits.saturating_add(late.len() as u32).min(self.options.credits_max);
        let ids: Vec<String> = late.iter().map(ToString::to_string).collect();
        for id in &ids {
            self.outbox.withdraw(id);
        }
        self.say_cancelled(ids.into_iter().map(|id| (id, "not_received")));
    }

    /// Tells the worker what it has lost.
    pub(super) fn cancel(&mut self, lost: Vec<Lost>) {
        let held = &mut self.held;
        let gone: Vec<(String, &'static str)> = lost
            .into_iter()
            .filter(|lost| held.remove_lease(lost.lease))
            .map(|lost| (lost.lease.id.to_string(), lost.reason))
            .collect();
        if !gone.is_empty() {
            self.say_cancelled(gone.into_iter());
        }
    }

    fn say_cancelled(&self, jobs: impl Iterator<Item = (String, &'static str)>) {
        let jobs = jobs.map(|(id, reason)| CancelledJob { id, reason: reason.to_owned() }).collect();
        self.outbox.send(Message::Cancel(Cancel { jobs }));
    }

    /// Looks whether the key still holds, and which jobs are not the worker's any more.
    pub(super) fn begin_look(&mut self) {
        if self.look.is_some() {
            return;
        }
        let leases = self.held.look_at(self.options.look_interval.to_std());
        let (shared, caller) = (self.parts.shared.clone(), self.parts.caller.clone());
        let head = self.parts.head.clone();
        self.look = Some(Box::pin(async move {
            if let Err(answer) = shared.parts.gate.identify(head.bare()).await
                && is_refusal(&answer)
            {
                return Looked::Refused(status::of_answer(answer).await);
            }
            match super::held::lost(&shared.parts.engine, &caller, &leases).await {
                Ok(lost) => Looked::Lost(lost),
                Err(error) => {
                    tracing::debug!(
                        error = &error as &dyn std::error::Error,
                        "jobs of a stream could not be read"
                    );
                    Looked::Lost(Vec::new())
                }
            }
        }));
    }
}

/// Whether the answer says that the caller is let in no more, and not that nobody knows at the moment.
fn is_refusal<T>(answer: &Response<T>) -> bool {
    matches!(answer.status().as_u16(), 401 | 403)
}

// Jobs that a worker has confirmed and not yet reported on. Now and then they are looked at: some may have been cancelled.
