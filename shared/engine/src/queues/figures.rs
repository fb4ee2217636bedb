//! The figures of a queue.

use domain::access::Permission;
use domain::queue::QueueName;
use store::queues::QueueFigures;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// The figures of a queue, as far as the caller sees its jobs.
    pub async fn queue_figures(
        &self,
        caller: &Caller,
        queue: QueueName,
    ) -> Result<QueueFigures, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().queue_figures(&caller.scope, queue, self.now()).await?)
    }
}
