//! Pools offer their idle slots.

use std::sync::{Arc, Weak};

use domain::queue::QueueName;

use super::{EagerStarts, SlotProvider};
use crate::engine::Engine;

impl Engine {
    /// From now on jobs of this queue may be leased for these slots as they are stored.
    pub fn offer_slots(&self, queue: QueueName, slots: Weak<dyn SlotProvider>) {
        *self.memory().eager.pools[queue.code() as usize].lock() = Some(slots);
    }

    pub(crate) fn eager_starts(&self, queue: QueueName) -> EagerStarts {
        EagerStarts {
            pools: Arc::clone(&self.memory().eager),
            queue,
            is_of_use: self.store().starts_eagerly(),
            node_leases: Arc::clone(&self.memory().node_leases),
            stats: Arc::clone(&self.memory().stats),
            entropy: Arc::clone(self.entropy()),
            lease: self.policy().queue(queue).lease,
        }
    }
}
