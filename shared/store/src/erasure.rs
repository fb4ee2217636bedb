//! Erasing a tenant: all that belongs to it goes, in bounded steps, and the erasure itself is remembered.

use async_trait::async_trait;
use domain::id::BatchId;
use domain::names::TenantName;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::audit::AuditRecord;
use crate::batches::BatchRecord;
use crate::error::StoreResult;

/// An erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    /// Whose things go.
    pub tenant: TenantName,
    /// The batch that carries it out.
    pub batch: BatchId,
    /// When it was asked for.
    pub begun_at: Timestamp,
    /// When nothing was left.
    pub ended_at: Option<Timestamp>,
}

/// What became of a request to erase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErasureBegun {
    /// It goes on from here.
    Begun,
    /// One is under way already, as this batch.
    UnderWay(BatchId),
    /// There is no such tenant.
    Unknown,
    /// Something is open that was not to be cancelled.
    InUse {
        /// Whether jobs are.
        jobs: bool,
        /// Whether executions are.
        executions: bool,
    },
}

/// The store's operations on erasures.
#[async_trait]
pub trait ErasureStore {
    /// Begins an erasure in one commit with its batch and its line of the audit log: the tenant's keys go, and its schedules,
    /// endpoints and triggers are paused. With `cancels_open` unfinished work of it is cancelled by the steps.
    async fn begin_erasure(
        &self,
        erasure: &Erasure,
        batch: (&BatchRecord, Uuid),
        cancels_open: bool,
        audit: &[AuditRecord],
    ) -> StoreResult<ErasureBegun>;

    /// Erasures under way, and those that ended since an instant.
    async fn erasures(&self, ended_since: Timestamp) -> StoreResult<Vec<Erasure>>;

    /// Removes some of what a tenant has, at most `limit` rows of one kind with what belongs to them; unfinished work ends as
    /// CANCELLED first. Answers how many went: none where nothing is left but lanes, which upkeep removes, and the audit log;
    /// and none once the batch does not erase the tenant any more, whoever has its name by then.
    async fn erase_step(
        &self,
        erasure: (&TenantName, BatchId),
        limit: u32,
        now: Timestamp,
    ) -> StoreResult<u64>;

    /// Ends an erasure, with its line of the audit log. Answers whether it was under way by this batch.
    async fn end_erasure(
        &self,
        erasure: (&TenantName, BatchId),
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<bool>;
}
