//! Wait for the end of an execution. Whoever waits is one task that sleeps: hints wake it, and the sweep where a hint
//! was lost.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::access::Permission;
use domain::id::ExecutionId;
use domain::time::DurationMs;
use store::executions::ExecutionRecord;
use store::wakeup::Hint;
use store::{Store, StoreResult};
use tokio::time::Instant;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::entropy::Entropy;
use crate::error::EngineError;
use crate::waiters::{Awaited, Waiters};

impl Engine {
    /// Waits until the execution ends or the time is up, and answers how it is then. A shutdown ends the wait.
    pub async fn wait_execution(
        &self,
        caller: &Caller,
        id: ExecutionId,
        timeout: DurationMs,
    ) -> Result<ExecutionRecord, EngineError> {
        caller.require(Permission::Read)?;
        self.listen();
        self.sweep();
        let until = Instant::now() + timeout.min(self.policy().execution_wait_max).to_std();
        let waiter = self.memory().waiters.await_end(id);
        loop {
            // Registered before the look: an end in between is not missed.
            let finished = waiter.finished();
            let record = self.known_execution(caller, id).await?;
            if record.status.is_terminal() || Instant::now() >= until || self.shutdown_started() {
                return Ok(record);
            }
            tokio::select! {
                () = self.shutdown().cancelled() => {}
                () = finished => {}
                () = tokio::time::sleep_until(until) => {}
            }
        }
    }
}

// The sweep: the one net under lost hints for all who wait for executions in this process.
//
// Hints wake owners and callers. Should one be lost, the sweep finds out within a second: one look for the ends that
// callers wait for, and one for the inboxes of all owners, however many wait. While nobody waits, it sleeps.

/// The longest time without a look while somebody waits; cut by up to a half, at random, so that the nodes of a
/// deployment do not look in step.
const INTERVAL: Duration = Duration::from_secs(1);
/// How many executions one look takes.
const PAGE: usize = 1_000;

impl Engine {
    /// Starts the sweep if it is not there.
    pub(crate) fn sweep(&self) {
        self.memory().sweeping.get_or_init(|| {
            let sweep = Sweep {
                store: Arc::clone(self.store()),
                entropy: Arc::clone(self.entropy()),
                waiters: Arc::clone(&self.memory().waiters),
            };
            let closed = self.closed();
            tokio::spawn(async move {
                tokio::select! {
                    () = closed.cancelled() => {}
                    () = sweep.run() => {}
                }
            });
        });
    }
}

struct Sweep {
    store: Arc<dyn Store>,
    entropy: Arc<dyn Entropy>,
    waiters: Arc<Waiters>,
}

impl Sweep {
    async fn run(self) {
        loop {
            let awaited = self.waiters.awaited();
            if awaited == Awaited::default() {
                self.waiters.sweep_wanted().await;
            } else if let Err(error) = self.look(&awaited).await {
                tracing::debug!(error = &error as &dyn Error, "executions could not be looked after");
            }
            tokio::time::sleep(INTERVAL.mul_f64(0.5 + 0.5 * self.entropy.jitter().0.clamp(0.0, 1.0))).await;
        }
    }

    async fn look(&self, awaited: &Awaited) -> StoreResult<()> {
        for ids in awaited.ends.chunks(PAGE) {
            for id in self.store.ended_executions(ids).await? {
                self.waiters.deliver(Hint::Finished(id));
            }
        }
        for ids in awaited.owned.chunks(PAGE) {
            for id in self.store.filled_inboxes(ids).await? {
                self.waiters.deliver(Hint::Inbox(id));
            }
        }
        Ok(())
    }
}
