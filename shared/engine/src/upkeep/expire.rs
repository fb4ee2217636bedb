//! Expire: what nobody started in time ends.

use domain::queue::QueueName;
use store::wakeup::Hint;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn expire_tick(&self) -> Result<bool, EngineError> {
        let limit = self.policy().upkeep_batch;
        let expired = self.store().expire_unstarted(self.now(), limit).await?;
        metrics::expired(self.store().as_ref(), &expired);
        let mut hints: Vec<Hint> = expired.inboxes.iter().map(|&id| Hint::Inbox(id)).collect();
        hints.extend(expired.executions.iter().map(|&id| Hint::Finished(id)));
        // A job that waited for the concurrency key of one of these can start, and a parent can go on.
        if !expired.jobs.is_empty() {
            hints.push(Hint::Freed(QueueName::Node));
        }
        if !hints.is_empty() {
            hints.push(Hint::Freed(QueueName::Execution));
        }
        self.wake(&hints);
        Ok(expired.more)
    }
}
