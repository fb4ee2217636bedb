//! Release leases: what a pool gives back when it drains, without an attempt being consumed.

use domain::queue::QueueName;
use store::jobs::LeaseRef;
use store::wakeup::Hint;

use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Gives leases back. Those that are gone already change nothing.
    pub async fn release(&self, leases: Vec<LeaseRef>) -> Result<(), EngineError> {
        if leases.is_empty() {
            return Ok(());
        }
        self.store().release(&leases, self.now()).await?;
        // A release does not tell its queue, and it is rare: all queues are woken.
        self.wake(&QueueName::ALL.map(Hint::Queue));
        Ok(())
    }
}
