//! The intake: work that applications wrote within their own transactions, for a server to take.

use async_trait::async_trait;
use domain::names::TenantName;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::error::StoreResult;

domain::words! {
    /// What a row of the intake asks for.
    IntakeKind {
        /// A job.
        Enqueue "enqueue",
        /// An execution.
        Start "start",
        /// A signal to an execution.
        Signal "signal",
        /// An event.
        Event "event",
    }
}

/// A row of the intake, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeRow {
    /// Its number, by which it is settled.
    pub id: i64,
    /// What it asks for.
    pub kind: IntakeKind,
    /// The id of what is made of it. The call returned it, and it makes taking the row twice harmless.
    pub subject: Uuid,
    /// The execution of a signal.
    pub target: Option<Uuid>,
    /// Whose it is.
    pub tenant: TenantName,
    /// The role of the database that wrote it.
    pub role: String,
    /// Job type, workflow, or name of the signal or event.
    pub name: String,
    /// What else was asked for, as JSON.
    pub options: String,
    /// Payload, input, or payload of the signal or event, as JSON.
    pub data: String,
    /// When it was written.
    pub created_at: Timestamp,
}

/// How much of the intake one step takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntakeBounds {
    /// At most so many rows.
    pub rows_max: u32,
    /// At most so many bytes of payloads, but at least one row.
    pub bytes_max: u64,
}

/// Who takes rows: one process at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntakeLease {
    /// The process.
    pub holder: Uuid,
    /// Until when, unless it asks again.
    pub until: Timestamp,
    /// The longest payload, for the functions that applications call.
    pub payload_bytes_max: u64,
}

/// A row that could not become what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeRefusal {
    /// Its number.
    pub id: i64,
    /// Why, for people.
    pub reason: String,
}

/// A tenant of which the functions take no more work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntakeOverQuota {
    /// Whose.
    pub tenant: TenantName,
    /// The public name of the quota.
    pub quota: String,
    /// How much is used.
    pub used: u64,
    /// How much may be.
    pub limit: u64,
}

/// The store's operations on the intake.
#[async_trait]
pub trait IntakeStore {
    /// Whether applications can write into the intake of this store.
    fn has_intake(&self) -> bool;

    /// The rows that nobody has taken, in the order in which their transactions were committed, without those of some tenants.
    async fn read_intake(&self, bounds: IntakeBounds, without: &[TenantName]) -> StoreResult<Vec<IntakeRow>>;

    /// Takes or renews the lease on the intake; `None`, or until when another process has it. A lease that ends now gives
    /// it back.
    async fn lease_intake(&self, lease: &IntakeLease, now: Timestamp) -> StoreResult<Option<Timestamp>>;

    /// Removes rows that were taken, and keeps those that were refused with the reason, if the process still has the lease.
    /// Answers whether it has.
    async fn settle_intake(
        &self,
        holder: Uuid,
        taken: &[i64],
        refused: &[IntakeRefusal],
        now: Timestamp,
    ) -> StoreResult<bool>;

    /// Has the functions refuse work of a tenant.
    async fn close_intake(&self, over: &IntakeOverQuota) -> StoreResult<()>;

    /// Has the functions take work of a tenant again.
    async fn reopen_intake(&self, tenant: &TenantName, quota: &str) -> StoreResult<()>;

    /// The tenants of which the functions take no more work.
    async fn closed_intakes(&self) -> StoreResult<Vec<IntakeOverQuota>>;
}
