//! Wait for the end of an execution.

use std::time::Duration;

use domain::access::Verb;
use domain::id::ExecutionId;
use domain::time::DurationMs;
use store::executions::ExecutionRecord;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How long anybody who waits goes without looking by itself, hints or not.
const REREAD_INTERVAL: Duration = Duration::from_secs(1);
/// How many looks without a hint are under way at once, however many wait.
const REREADS_MAX: usize = 8;

/// Keeps looks without a hint from crowding out the work.
pub(crate) struct RereadPermits(Semaphore);

impl Default for RereadPermits {
    fn default() -> Self {
        Self(Semaphore::new(REREADS_MAX))
    }
}

impl RereadPermits {
    /// A place among those who look; `None` never happens, as the semaphore is never closed.
    pub(crate) async fn take(&self) -> Option<SemaphorePermit<'_>> {
        self.0.acquire().await.ok()
    }
}

impl Engine {
    /// Waits until the execution ends or the time is up, and answers how it is then. A shutdown ends the wait.
    pub async fn wait_execution(
        &self,
        caller: &Caller,
        id: ExecutionId,
        timeout: DurationMs,
    ) -> Result<ExecutionRecord, EngineError> {
        caller.require(Verb::Read)?;
        self.listen();
        let until = Instant::now() + timeout.min(self.policy().execution_wait_max).to_std();
        let waiter = self.memory().waiters.watch(id);
        let mut permit = None;
        loop {
            // Registered before the look: an end in between is not missed.
            let finished = waiter.finished();
            let record = self.known_execution(caller, id).await?;
            drop(permit.take());
            if record.status.is_terminal() || Instant::now() >= until || self.shutdown_started() {
                return Ok(record);
            }
            let reread_at = self.reread_at().min(until);
            let is_hinted = tokio::select! {
                () = self.shutdown().cancelled() => true,
                () = finished => true,
                () = tokio::time::sleep_until(reread_at) => false,
            };
            if !is_hinted {
                permit = self.memory().rereads.take().await;
            }
        }
    }

    /// When to look again without a hint: within a second, spread so that waiters do not look all at once.
    pub(crate) fn reread_at(&self) -> Instant {
        Instant::now() + REREAD_INTERVAL.mul_f64(0.5 + 0.5 * self.entropy().jitter().0.clamp(0.0, 1.0))
    }
}
