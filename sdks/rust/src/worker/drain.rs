//! The life of a worker: serve, drain, give back what is not done.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, timeout, timeout_at};

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
            let (result, is_signalled) = tokio::select! {
                error = self.poll_jobs() => (Err(error), false),
                () = signals.next() => (Ok(()), true),
                () = shutdown => (Ok(()), false),
                () = self.drained.notified() => {
                    tracing::info!(target: "trunkline", "an operator drains this worker: it ends");
                    (Ok(()), false)
                }
            };
            self.health.set(HealthStatus::Draining, None);
            self.client.transport.end_delivery(&self.settings.worker_id);
            self.drain(&mut signals, is_signalled).await;
            result
        };
        tokio::select! {
            result = life => result,
            () = self.serve_leases() => Ok(()),
            () = answering => Ok(()),
        }
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
        let given_back = self.attempts().into_iter().map(|attempt| {
            attempt.abandon();
            attempt.abort();
            let runner = Arc::clone(self);
            async move {
                runner.send_last_progress(&attempt).await;
                runner.lines.end(&attempt.lines).await;
                let report = Report {
                    id: attempt.job.id.clone(),
                    lease_token: attempt.job.lease_token.clone(),
                    ..Report::default()
                };
                if let Err(error) = runner.report(ReportKind::Release, report).await {
                    tracing::error!(target: "trunkline", job_id = attempt.job.id, %error, "giving a job back failed");
                }
            }
        });
        let mut returning = std::mem::take(&mut *self.returning.lock());
        let last_reports = async {
            join_all(given_back).await;
            while returning.join_next().await.is_some() {}
        };
        if timeout(LAST_REPORTS, last_reports).await.is_err() {
            tracing::error!(target: "trunkline", "jobs were not given back in time: their leases end by themselves");
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
