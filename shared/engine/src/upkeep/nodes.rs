//! Processes that end without withdrawing their row: their pools' leases end at once, where the database notices it.

use domain::names::WorkerId;
use store::nodes::{LostNodes, NodeRecord};
use uuid::Uuid;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::metrics;

impl Engine {
    /// Says that this process begins, which is distinguished from others by `nonce` and leases under the names of its
    /// pools. On a SQLite file the leases of the process before end now, to be reaped at the next tick.
    pub async fn begin_node(&self, nonce: Uuid, pools: Vec<WorkerId>) -> Result<(), EngineError> {
        let lost = self.store().begin_node(&NodeRecord { nonce, pools }, self.now()).await?;
        if lost.leases > 0 {
            metrics::nodes_lost(lost.nodes);
            tracing::info!(leases = lost.leases, "the previous process left leases; they end now");
        }
        Ok(())
    }

    /// One look at the other processes. Answers what became of those that have ended.
    pub async fn nodes_tick(&self) -> Result<LostNodes, EngineError> {
        let lost = self.store().end_lost_nodes(self.now()).await?;
        // One that gave everything back before it ended was stopped in order.
        if lost.leases > 0 {
            metrics::nodes_lost(lost.nodes);
            tracing::warn!(
                nodes = lost.nodes,
                leases = lost.leases,
                "processes have ended; their leases end now"
            );
        }
        Ok(lost)
    }
}
