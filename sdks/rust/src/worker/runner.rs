//! The runner: polls and starts handlers. All of it runs on a thread of its own; only handlers run where the program does.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::timestamp::Timestamp;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep};

use super::attempt::{Attempt, Attempts};
use super::channel::{Channel, Report, ReportKind};
use super::handler::Handler;
use super::health::{Health, HealthStatus};
use super::heartbeats::Heartbeats;
use super::leases::Lost;
use super::lines::LineSender;
use super::metrics::Metrics;
use super::reporter::Queues;
use super::{Event, Settings};
use crate::client::Client;
use crate::context::{CancelReason, Context, Fields, LogLevel};
use crate::error::ClientError;
use crate::handler_error::{Error, outcome_of};
use crate::json::{Json, Payload, PayloadKind};
use crate::models::{Heartbeat, JobError, LeaseOutcome, Poll, PolledJob, PolledJobs};
use crate::repeat;

const POLL_JOBS_MAX: usize = 100;
/// A poll that is this much later than it was to wait is a channel that does not deliver, whatever becomes of it.
const POLL_LATE: Duration = Duration::from_secs(2);
const LAST_PROGRESS_TIMEOUT: Duration = Duration::from_secs(5);
/// For so long a job of a type that has no handler here goes back, which no server should have sent.
const NOT_OURS_DELAY: Duration = Duration::from_secs(1);

/// A worker at work.
pub(super) struct Runner {
    pub(super) client: Client,
    pub(super) settings: Settings,
    pub(super) handlers: HashMap<String, Handler>,
    pub(super) health: Health,
    pub(super) metrics: Arc<Metrics>,
    pub(super) channel: Channel,
    pub(super) queues: Mutex<Queues>,
    pub(super) lines: Arc<LineSender>,
    beats: Arc<Heartbeats>,
    running: Mutex<Attempts>,
    /// Jobs of types that it does not have, on their way back.
    pub(super) returning: Mutex<JoinSet<()>>,
    pub(super) freed: Notify,
    /// An operator drains this worker.
    pub(super) drained: Notify,
    /// The worker drains: what waits for room or time to poll need not.
    pub(super) stopping: Notify,
    /// Where handlers run.
    program: Handle,
}

impl Runner {
    pub(super) fn new(
        client: Client,
        settings: Settings,
        handlers: HashMap<String, Handler>,
        health: Health,
        program: Handle,
    ) -> Arc<Self> {
        let channel = Channel::new(&client);
        Arc::new(Self {
            client,
            settings,
            handlers,
            health,
            metrics: Arc::default(),
            queues: Mutex::default(),
            lines: Arc::new(LineSender::new(channel.clone())),
            beats: Arc::new(Heartbeats::new(channel.clone())),
            channel,
            running: Mutex::default(),
            returning: Mutex::default(),
            freed: Notify::new(),
            drained: Notify::new(),
            stopping: Notify::new(),
            program,
        })
    }

    /// Cancels handlers when the transport says so by itself, ahead of the next heartbeat.
    pub(super) fn listen_for_cancellations(self: &Arc<Self>) {
        let runner = Arc::downgrade(self);
        let cancel = move |token: &str, reason: CancelReason| {
            let Some(runner) = runner.upgrade() else { return };
            runner.beats.remove(token);
            runner.running.lock().cancel(token, reason);
        };
        self.client.transport.on_cancel(&self.settings.worker_id, Arc::new(cancel));
    }

    /// Renews leases and sends lines for as long as it is polled.
    pub(super) async fn serve_leases(&self) {
        let lost = |lost: Lost| self.running.lock().cancel(&lost.token, lost.reason);
        let failed = |error: &ClientError| self.event(&Event::HeartbeatFailed { error });
        tokio::join!(self.beats.run(lost, failed), self.lines.run());
    }

    /// Polls until the worker drains. It ends with an error when the server refuses the first poll.
    pub(super) async fn poll_jobs(self: &Arc<Self>) -> Option<ClientError> {
        let mut poll = self.poll_request();
        let (mut failures, mut came_once) = (0, false);
        while self.health.status() != HealthStatus::Draining {
            let free = self.free().min(POLL_JOBS_MAX);
            if free == 0 {
                self.unless_stopping(self.freed.notified()).await;
                continue;
            }
            poll.max_jobs = i32::try_from(free).ok();
            let error = match self.poll_once(&poll).await {
                Ok(polled) => {
                    (failures, came_once) = (0, true);
                    self.health.set(HealthStatus::Ok, None);
                    let is_drained = polled.drain == Some(true);
                    self.take(polled);
                    if is_drained {
                        self.stopping.notified().await;
                    }
                    continue;
                }
                Err(error) => error,
            };
            if self.health.status() == HealthStatus::Draining {
                break;
            }
            self.health.set(HealthStatus::Disconnected, Some(error.to_string()));
            self.event(&Event::PollFailed { error: &error });
            // A wrong key or address: there is no use in asking again.
            let is_refused = error.problem().is_some_and(|problem| problem.status < 500);
            if !came_once && is_refused && !error.is_transient() {
                return Some(error);
            }
            tracing::warn!(target: "trunkline", %error, "poll failed");
            self.unless_stopping(sleep(repeat::delay(&error, failures, repeat::random()))).await;
            failures += 1;
        }
        None
    }

    /// Waits for something, or until the worker drains.
    async fn unless_stopping(&self, something: impl Future<Output = ()>) {
        tokio::select! {
            () = something => {}
            () = self.stopping.notified() => {}
        }
    }

    async fn poll_once(&self, poll: &Poll) -> Result<PolledJobs, ClientError> {
        // Until polls come back they do not wait, so that the health is known at once.
        let is_ok = self.health.status() == HealthStatus::Ok;
        let wait = if is_ok { self.settings.poll_wait } else { Duration::ZERO };
        let mut answer = std::pin::pin!(self.channel.poll(poll.clone(), wait));
        tokio::select! {
            answer = &mut answer => return answer,
            () = sleep(wait + POLL_LATE) => {}
        }
        self.health.set(HealthStatus::Disconnected, Some("a poll has no answer".to_owned()));
        answer.await
    }

    /// What each poll of this worker asks for.
    pub(super) fn poll_request(&self) -> Poll {
        let mut job_types: Vec<String> = self.handlers.keys().cloned().collect();
        job_types.sort();
        Poll {
            worker_id: self.settings.worker_id.clone(),
            job_types,
            tenant: self.settings.tenant.clone().or_else(|| self.client.tenant.clone()),
            lease: self.settings.lease.map(crate::timestamp::text),
            build: self.settings.build.clone(),
            builds: (!self.settings.builds.is_empty()).then(|| self.settings.builds.clone()),
            ..Poll::default()
        }
    }

    pub(super) fn free(&self) -> usize {
        self.settings.concurrency.saturating_sub(self.running.lock().count())
    }

    pub(super) fn attempts(&self) -> Vec<Arc<Attempt>> {
        self.running.lock().all()
    }

    pub(super) fn event(&self, event: &Event<'_>) {
        self.metrics.count(event);
        if let Some(on_event) = &self.settings.on_event {
            on_event(event);
        }
    }

    pub(super) fn take(self: &Arc<Self>, polled: PolledJobs) {
        self.event(&Event::Polled { jobs: polled.jobs.len() });
        for job in polled.jobs {
            self.begin(job);
        }
        if polled.drain == Some(true) {
            self.drained.notify_one();
        }
    }

    fn begin(self: &Arc<Self>, job: PolledJob) {
        let runner = Arc::clone(self);
        let Some(handler) = self.handlers.get(&job.job_type).cloned() else {
            // Not ours, whatever the server thinks: another worker gets it, and this one not at once again.
            let delay = Some(crate::timestamp::text(NOT_OURS_DELAY));
            let report = Report { id: job.id, lease_token: job.lease_token, delay, ..Report::default() };
            let mut returning = self.returning.lock();
            while returning.try_join_next().is_some() {}
            returning.spawn(async move { drop(runner.report(ReportKind::Release, report).await) });
            return;
        };
        let lines = self.lines.begin(&job);
        let attempt = Arc::new(Attempt::new(job, lines));
        self.running.lock().begin(&attempt);
        self.beats.add(&attempt.job, self.settings.lease);
        tokio::spawn(runner.serve(attempt, handler));
    }

    async fn serve(self: Arc<Self>, attempt: Arc<Attempt>, handler: Handler) {
        let started = Instant::now();
        let job_type = attempt.job.job_type.as_str();
        self.event(&Event::Started { job_type });
        let result = self.handle(&attempt, handler).await;
        let (kind, report) = outcome_of(result, attempt.cancel_reason());
        if attempt.claim_report()
            && kind != ReportKind::Nothing
            && let Err(error) = self.settle(&attempt, kind, report).await
        {
            tracing::error!(target: "trunkline", job_id = attempt.job.id, %error, "report failed");
        }
        self.event(&Event::Finished { job_type, outcome: kind.as_str(), duration: started.elapsed() });
        self.beats.remove(&attempt.job.lease_token);
        self.lines.forget(&attempt.lines);
        self.running.lock().end(&attempt.job.lease_token);
        attempt.set_over();
        // The poller and the drain may both wait for this.
        self.freed.notify_one();
        self.freed.notify_waiters();
    }

    /// Runs the handler to its end, where the program runs.
    async fn handle(&self, attempt: &Arc<Attempt>, handler: Handler) -> Result<Json, Error> {
        let context = attempt.context(&self.beats, &self.lines);
        let work = work(self.client.clone(), attempt.job.clone(), handler, context.clone());
        let mut task = self.program.spawn(context.clone().scope(work));
        attempt.set_task(task.abort_handle());
        let ended = tokio::select! {
            ended = &mut task => ended,
            () = at(attempt.job.deadline) => {
                attempt.cancel(CancelReason::Deadline);
                task.await
            }
        };
        ended.unwrap_or_else(|error| Err(panicked(error, &context)))
    }

    async fn settle(
        self: &Arc<Self>,
        attempt: &Attempt,
        kind: ReportKind,
        mut report: Report,
    ) -> Result<(), ClientError> {
        if kind != ReportKind::Complete {
            self.send_last_progress(attempt).await;
        }
        if let Some(error) = &report.error {
            let message = format!("attempt failed: {}", error.message);
            super::attempt::trace_line(&attempt.job, LogLevel::Warn, &message, &Fields::new());
        }
        self.lines.end(&attempt.lines).await;
        report.id = attempt.job.id.clone();
        report.lease_token = attempt.job.lease_token.clone();
        let lease = Report { result: None, ..report.clone() };
        let refusal = match self.report(kind, report).await {
            Ok(outcome) if outcome.outcome == LeaseOutcome::Rejected => outcome.reason.unwrap_or_default(),
            Ok(_) => return Ok(()),
            Err(error) if kind == ReportKind::Complete && error.problem().is_some() => error.to_string(),
            Err(error) => return Err(error),
        };
        if kind != ReportKind::Complete {
            return Err(ClientError::Configuration(refusal));
        }
        // A result that the server does not take fails the job.
        let error = JobError {
            message: format!("the server refused the result: {refusal}"),
            code: Some("result_refused".to_owned()),
            details: None,
        };
        let failed = Report { error: Some(error), retryable: Some(false), ..lease };
        self.report(ReportKind::Fail, failed).await.map(drop)
    }

    /// The next attempt is to read what this one said last.
    pub(super) async fn send_last_progress(&self, attempt: &Attempt) {
        let Some(progress) = attempt.take_progress() else { return };
        let beat = Heartbeat {
            id: attempt.job.id.clone(),
            lease_token: attempt.job.lease_token.clone(),
            progress: Some(progress),
            ..Heartbeat::default()
        };
        if let Err(error) = self.channel.heartbeat(vec![beat], LAST_PROGRESS_TIMEOUT).await {
            self.event(&Event::HeartbeatFailed { error: &error });
        }
    }
}

/// What runs where the program runs: the codec, the handler, the codec.
async fn work(client: Client, job: PolledJob, handler: Handler, context: Context) -> Result<Json, Error> {
    let failed = |error| Error::new(ClientError::Codec(error));
    let payload = |kind| Payload { kind, job_type: &job.job_type };
    let data = client.codec.decode(job.data.clone(), payload(PayloadKind::Data)).await.map_err(failed)?;
    let result = handler.call(data, context).await?;
    if job.execution_id.is_some() {
        return Ok(result);
    }
    client.codec.encode(result, payload(PayloadKind::Result)).await.map_err(failed)
}

fn panicked(error: JoinError, context: &Context) -> Error {
    let Ok(panic) = error.try_into_panic() else {
        return Error::cancelled();
    };
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    context.log().error(format!("handler panicked: {text}"));
    Error::new(format!("panic: {text}"))
}

/// Waits until an instant by this machine's clock; for ever without one.
async fn at(deadline: Option<Timestamp>) {
    match deadline {
        Some(deadline) => {
            sleep(deadline.since(Timestamp::now()).unwrap_or_default()).await;
        }
        None => std::future::pending().await,
    }
}
