//! Processes that lease jobs for pools of their own: noticed at once when they end, where the database can tell.

use async_trait::async_trait;
use domain::names::WorkerId;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::error::StoreResult;

/// A process with pools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRecord {
    /// Drawn at its start: no two processes have the same, wherever they run.
    pub nonce: Uuid,
    /// The names under which its pools lease jobs, each used by this process alone. Workers that poll through the process
    /// live on without it, and are none of them.
    pub pools: Vec<WorkerId>,
}

/// What became of processes that have ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LostNodes {
    /// How many processes.
    pub nodes: u32,
    /// How many leases of theirs end now, to be reaped as any others.
    pub leases: u64,
}

/// The store's operations on processes.
#[async_trait]
pub trait NodeStore {
    /// Says that this process begins, before its pools lease anything. Until the store is closed or the process ends, the
    /// database can tell that it lives, where that is possible; elsewhere its leases end in their time.
    ///
    /// A database that has one owner has no other process that lives: the leases of those before end now.
    async fn begin_node(&self, node: &NodeRecord, now: Timestamp) -> StoreResult<LostNodes>;

    /// Ends the leases of processes that the database saw end and that did not come back for
    /// [`LOST_AFTER`](domain::node_watch::LOST_AFTER). To be called about once a second.
    async fn end_lost_nodes(&self, now: Timestamp) -> StoreResult<LostNodes>;
}
