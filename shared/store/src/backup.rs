//! Copies of the database, and what has to be looked at in one that was restored to an earlier moment.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use domain::id::{ExecutionId, JobId};
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::Timestamp;

use crate::error::StoreResult;
use crate::jobs::LeaseRef;

/// A lease, whoever holds it and whether it has ended or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldLease {
    /// The job and its token.
    pub lease: LeaseRef,
    /// The queue.
    pub queue: QueueName,
    /// Whose job it is.
    pub tenant: TenantName,
    /// Which handler runs it.
    pub job_type: JobType,
    /// Who holds it.
    pub worker_id: WorkerId,
    /// The execution that it belongs to.
    pub execution_id: Option<ExecutionId>,
    /// When the attempt started.
    pub started_at: Option<Timestamp>,
    /// When the lease ends or ended.
    pub lease_until: Timestamp,
}

impl HeldLease {
    /// The job.
    pub const fn job(&self) -> JobId {
        self.lease.id
    }
}

/// The store's operations on copies of itself.
#[async_trait]
pub trait BackupStore {
    /// Where a copy can be put for a while: beside the file, for as much room as there is. `None` where the database has
    /// means of its own for copies.
    fn backup_directory(&self) -> Option<PathBuf>;

    /// Copies the database as it is at one instant into a file that is not there yet, and examines the copy. Writers go on
    /// meanwhile. Answers its length in bytes. Nothing is left behind by a failure.
    async fn back_up(&self, into: &Path) -> StoreResult<u64>;

    /// The latest instant of which the database knows; `None` where it is empty.
    async fn last_written(&self) -> StoreResult<Option<Timestamp>>;

    /// Leases in the order of their jobs, from after a job on.
    async fn held_leases(&self, after: Option<JobId>, limit: u32) -> StoreResult<Vec<HeldLease>>;
}
