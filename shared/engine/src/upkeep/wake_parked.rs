//! Wake parked executions that have something in their inbox: the net under appends that crossed with a parking, and
//! under events that crossed with a wait for them.

use domain::queue::QueueName;
use store::wakeup::Hint;

use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// One bounded step. Answers whether there may be more.
    pub async fn wake_parked_tick(&self) -> Result<bool, EngineError> {
        let limit = self.policy().upkeep_batch;
        let woken = self.store().wake_parked(limit, self.now()).await?;
        if woken > 0 {
            tracing::debug!(executions = woken, "parked executions had something in their inbox");
            self.wake(&[Hint::Freed(QueueName::Execution)]);
        }
        // Of an event and a wait that crossed, likewise.
        let has_more = self.look_back_tick().await?;
        // And of an end and a start with the same unique key.
        let has_more = self.admit_left_tick().await? || has_more;
        Ok(woken >= limit || has_more)
    }
}
