//! Executions that are stored, and what follows from that.

use domain::queue::QueueName;
use domain::time::Timestamp;
use store::executions::NewExecution;
use store::jobs::Enqueued;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::enqueue_hint;
use crate::metrics;
use crate::traces::Sends;

impl Engine {
    /// Stores executions in one commit, and lets their jobs be claimed.
    pub(crate) async fn store_executions(
        &self,
        executions: &[NewExecution],
        now: Timestamp,
    ) -> Result<Vec<Enqueued>, EngineError> {
        let sends = Sends::of_executions(executions, self.now());
        let enqueued = self.store().create_executions(executions, now).await?;
        self.executions_stored(executions, &enqueued, sends, now);
        Ok(enqueued)
    }

    /// Executions that were stored, in the order of the answers.
    pub(crate) fn executions_stored(
        &self,
        executions: &[NewExecution],
        enqueued: &[Enqueued],
        sends: Sends,
        now: Timestamp,
    ) {
        metrics::created(executions.iter(), enqueued);
        self.memory().stats.created(executions.iter(), enqueued, now);
        sends.durable(enqueued, self.now());
        self.wake(enqueue_hint(QueueName::Execution, enqueued).as_slice());
    }
}
