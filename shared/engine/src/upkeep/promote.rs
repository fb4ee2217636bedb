//! Promote: due jobs become claimable, aged ones are lifted, freed concurrency keys admit the next.

use domain::queue::QueueName;
use store::wakeup::Hint;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn promote_tick(&self) -> Result<bool, EngineError> {
        let policy = self.policy();
        let age_after: Vec<_> = QueueName::ALL
            .into_iter()
            .filter_map(|queue| policy.queue(queue).age_after.map(|age| (queue, age)))
            .collect();
        let promoted = self.store().promote_due(&age_after, self.now(), policy.upkeep_batch).await?;
        metrics::promoted(self.store().as_ref(), &promoted);
        let hints: Vec<Hint> = promoted
            .by_queue
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(queue, _)| Hint::Freed(*queue))
            .collect();
        self.wake(&hints);
        Ok(promoted.more)
    }
}
