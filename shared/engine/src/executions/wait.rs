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
use crate::executions::request::CreatedExecution;
use crate::waiters::{Awaited, ExecutionWaiter, Waiters};

/// The wait for the end of an execution that is being started: whoever began it before the start misses no end.
pub struct AwaitedStart {
    id: ExecutionId,
    waiter: ExecutionWaiter,
    /// Whether it was stored by this start, so that there is nothing to look at yet.
    is_new: bool,
}

impl Engine {
    /// Waits until the execution ends or the time is up, and answers how it is then. A shutdown ends the wait.
    pub async fn wait_execution(
        &self,
        caller: &Caller,
        id: ExecutionId,
        timeout: DurationMs,
    ) -> Result<ExecutionRecord, EngineError> {
        let awaited = AwaitedStart { id, waiter: self.memory().waiters.await_end(id), is_new: false };
        self.wait_started(caller, awaited, timeout).await
    }

    /// The same for an execution that the caller has started, see [`Engine::start_awaited`].
    pub async fn wait_started(
        &self,
        caller: &Caller,
        started: AwaitedStart,
        timeout: DurationMs,
    ) -> Result<ExecutionRecord, EngineError> {
        caller.require(Permission::Read)?;
        self.listen();
        self.sweep();
        let until = Instant::now() + timeout.min(self.policy().execution_wait_max).to_std();
        let AwaitedStart { id, waiter, mut is_new } = started;
        loop {
            // Registered before the look: an end in between is not missed.
            let finished = waiter.finished();
            if let Some(record) = waiter.completed().filter(|record| caller.scope.allows(&record.tenant)) {
                return Ok(Arc::unwrap_or_clone(record));
            }
            let is_over = Instant::now() >= until || self.shutdown_started();
            if is_over || !std::mem::take(&mut is_new) || waiter.may_have_ended() {
                let record = self.known_execution(caller, id).await?;
                if record.status.is_terminal() || is_over {
                    return Ok(record);
                }
            }
            tokio::select! {
                () = self.shutdown().cancelled() => {}
                () = finished => {}
                () = tokio::time::sleep_until(until) => {}
            }
        }
    }
}

impl AwaitedStart {
    /// Begins before the start.
    pub(super) fn begin(engine: &Engine, id: ExecutionId) -> Self {
        engine.listen();
        Self { id, waiter: engine.memory().waiters.await_end(id), is_new: false }
    }

    /// Whether it is the wait for this execution.
    pub(super) fn is_of(&self, id: ExecutionId) -> bool {
        self.id == id
    }

    /// Goes on after it.
    pub(super) fn started(self, created: &CreatedExecution) -> Self {
        Self { is_new: !created.existing, ..self }
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
                tracing::debug!(
                    error = &error as &dyn Error,
                    "the states of awaited executions could not be read"
                );
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
