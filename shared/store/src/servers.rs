//! Processes of the deployment, as they show themselves.

use async_trait::async_trait;
use domain::id::ServerId;
use domain::time::Timestamp;

use crate::error::StoreResult;

/// A process of the deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerRecord {
    /// Drawn at its start.
    pub id: ServerId,
    /// Its version.
    pub version: String,
    /// Its roles.
    pub roles: Vec<String>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it last showed itself.
    pub last_seen_at: Timestamp,
    /// How far the clock of its machine is ahead of the database's, in milliseconds.
    pub clock_offset_ms: i64,
}

/// The store's operations on processes as they show themselves. Nothing depends on them but what people see.
#[async_trait]
pub trait ServerStore {
    /// Records that a process is there, and forgets those that were last seen before an instant.
    async fn record_server(&self, server: &ServerRecord, forget_before: Timestamp) -> StoreResult<()>;

    /// Processes that were seen since, in the order of their starts.
    async fn list_servers(&self, since: Timestamp) -> StoreResult<Vec<ServerRecord>>;

    /// Forgets a process that ends.
    async fn remove_server(&self, id: ServerId) -> StoreResult<()>;
}
