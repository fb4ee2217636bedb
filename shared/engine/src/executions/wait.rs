//! Wait for the end of an execution. Whoever waits is one task that sleeps: hints wake it, and the sweep where a hint
//! was lost.

use domain::access::Permission;
use domain::id::ExecutionId;
use domain::time::DurationMs;
use store::executions::ExecutionRecord;
use tokio::time::Instant;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
