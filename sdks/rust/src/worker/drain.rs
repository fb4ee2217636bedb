//! The life of a worker: serve, drain, give back what is not done.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{FusedFuture as _, FutureExt as _, join_all};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, timeout, timeout_at};

use super::attempt::Attempt;
use super::channel::{Report, ReportKind};
use super::health::HealthStatus;
use super::runner::Runner;
use crate::context::CancelReason;
use crate::error::ClientError;

/// Cancelled handlers get this long to end before their jobs are given back without them.
const CANCEL_GRACE: Duration = Duration::from_secs(1);
/// How long reports may take once the worker has to end.
const LAST_REPORTS: Duration = Duration::from_secs(5);

/// SIGTERM and SIGINT.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Result<Self, ClientError> {
        let failed = |error| ClientError::Configuration(format!("signals cannot be received: {error}"));
        Ok(Self {
            terminate: signal(SignalKind::terminate()).map_err(failed)?,
            interrupt: signal(SignalKind::interrupt()).map_err(failed)?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

impl Runner {
    /// Serves until a signal or `shutdown` comes, or an operator drains the worker, then drains. Fails when the server refuses the first poll.
    pub(super) async fn run(
        self: Arc<Self>,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ClientError> {
        let mut signals = Signals::listen()?;
        let health = match &self.settings.health_address {
            Some(address) => Some(self.health.listen(address, Arc::clone(&self.metrics)).await?),
            None => None,
        };
        self.listen_for_cancellations();
        let answering = async {
            match health {
                Some(server) => server.serve().await,
                None => std::future::pending().await,
            }
        };
        let life = async {
            let (result, is_signalled) = self.take_jobs(&mut signals, shutdown).await;
            self.drain(&mut signals, is_signalled).await;
            result
        };
        tokio::select! {
            result = life => result,
            () = self.serve_leases() => Ok(()),
            () = answering => Ok(()),
        }
    }

    /// Takes jobs until the worker has to drain. Answers also whether a signal says so.
    async fn take_jobs(
        self: &Arc<Self>,
        signals: &mut Signals,
        shutdown: impl Future<Output = ()> + Send,
    ) -> (Result<(), ClientError>, bool) {
        let mut polls = std::pin::pin!(self.poll_jobs().fuse());
        let ended = tokio::select! {
            refused = &mut polls => (refused.map_or(Ok(()), Err), false),
            () = signals.next() => (Ok(()), true),
            () = shutdown => (Ok(()), false),
            () = self.drained.notified() => {
                tracing::info!(target: "trunkline", "an operator drains this worker: it ends");
                (Ok(()), false)
            }
        };
        self.health.set(HealthStatus::Draining, None);
        self.client.transport.end_delivery(&self.settings.worker_id);
        self.stopping.notify_one();
        // What a transport has accepted by itself nobody else gives back: it is taken. The jobs of a poll that is left go back.
        if self.client.transport.pushes() && !polls.is_terminated() {
            let _ = timeout(LAST_REPORTS, polls).await;
        }
        ended
    }

    /// Waits for handlers, cancels the rest and gives their jobs back. A second signal does not wait.
    async fn drain(self: &Arc<Self>, signals: &mut Signals, is_signalled: bool) {
        let second_signal = async {
            if !is_signalled {
                signals.next().await;
            }
            signals.next().await;
        };
        tokio::select! {
            () = self.wait_for_handlers(self.settings.drain_timeout) => {}
            () = second_signal => {}
        }
        for attempt in self.attempts() {
            attempt.cancel(CancelReason::Draining);
        }
        self.wait_for_handlers(CANCEL_GRACE).await;
        let given_back = self.attempts().into_iter().map(|attempt| Arc::clone(self).give_back(attempt));
        let mut returning = std::mem::take(&mut *self.returning.lock());
        let last_reports = async {
            join_all(given_back).await;
            while returning.join_next().await.is_some() {}
        };
        if timeout(LAST_REPORTS, last_reports).await.is_err() {
            tracing::error!(target: "trunkline", "jobs were not given back in time: their leases end by themselves");
        }
    }

    /// Gives a job back whose handler has not ended. Where it has, its own report is on its way.
    async fn give_back(self: Arc<Self>, attempt: Arc<Attempt>) {
        if !attempt.claim_report() {
            return attempt.until_over().await;
        }
        attempt.abort();
        self.send_last_progress(&attempt).await;
        self.lines.end(&attempt.lines).await;
        let report = Report {
            id: attempt.job.id.clone(),
            lease_token: attempt.job.lease_token.clone(),
            ..Report::default()
        };
        if let Err(error) = self.report(ReportKind::Release, report).await {
            tracing::error!(target: "trunkline", job_id = attempt.job.id, %error, "giving a job back failed");
        }
    }

    /// Waits until nothing runs, or the time is up.
    async fn wait_for_handlers(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        loop {
            let freed = self.freed.notified();
            if self.attempts().is_empty() || timeout_at(deadline, freed).await.is_err() {
                return;
            }
        }
    }
}
