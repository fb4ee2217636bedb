//! Wait for the end of a job. All waits of a process share one watch: after a hint about a queue, and each second where
//! hints were lost, it asks once which of the jobs that somebody waits for have ended.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::access::Permission;
use domain::id::JobId;
use domain::time::DurationMs;
use store::jobs::JobRecord;
use store::{Store, StoreResult};
use tokio::time::Instant;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::waiters::Waiters;

/// The longest time without a look while somebody waits.
const INTERVAL: Duration = Duration::from_secs(1);
/// The shortest time between two looks: hints come with every settlement.
const SPACING: Duration = Duration::from_millis(20);
/// How many jobs one statement asks for.
const PAGE: usize = 1_000;

impl Engine {
    /// Waits until the job has ended or the time is up, and answers how it is then. A shutdown ends the wait.
    pub async fn wait_job(
        &self,
        caller: &Caller,
        id: JobId,
        timeout: DurationMs,
    ) -> Result<JobRecord, EngineError> {
        caller.require(Permission::Read)?;
        self.listen();
        self.watch_jobs();
        let until = Instant::now() + timeout.min(self.policy().execution_wait_max).to_std();
        let waiter = self.memory().waiters.await_job(id);
        loop {
            // Registered before the look: an end in between is not missed.
            let ended = waiter.ended();
            let record = self.known_job(caller, id).await?;
            if record.status.is_terminal() || Instant::now() >= until || self.shutdown_started() {
                return Ok(record);
            }
            tokio::select! {
                () = self.shutdown().cancelled() => {}
                () = ended => {}
                () = tokio::time::sleep_until(until) => {}
            }
        }
    }

    /// Starts the watch if it is not there.
    fn watch_jobs(&self) {
        self.memory().watching_jobs.get_or_init(|| {
            let watch =
                Watch { store: Arc::clone(self.store()), waiters: Arc::clone(&self.memory().waiters) };
            let closed = self.closed();
            tokio::spawn(async move {
                tokio::select! {
                    () = closed.cancelled() => {}
                    () = watch.run() => {}
                }
            });
        });
    }
}

struct Watch {
    store: Arc<dyn Store>,
    waiters: Arc<Waiters>,
}

impl Watch {
    async fn run(self) {
        loop {
            let awaited = self.waiters.awaited_jobs();
            if awaited.is_empty() {
                self.waiters.look_for_jobs().await;
                continue;
            }
            if let Err(error) = self.look(&awaited).await {
                tracing::debug!(error = &error as &dyn Error, "finished jobs could not be looked up");
            }
            tokio::time::sleep(SPACING).await;
            // Resolves early for a hint that came meanwhile.
            let _ = tokio::time::timeout(INTERVAL, self.waiters.look_for_jobs()).await;
        }
    }

    async fn look(&self, awaited: &[JobId]) -> StoreResult<()> {
        for ids in awaited.chunks(PAGE) {
            for id in self.store.ended_jobs(ids).await? {
                self.waiters.job_ended(id);
            }
        }
        Ok(())
    }
}
