//! Retention that somebody set: of one kind of thing, for all or for one tenant.

use async_trait::async_trait;
use domain::names::TenantName;
use domain::retention::{KeptFor, RetentionSubject};
use domain::time::{DurationMs, Timestamp};

use crate::audit::AuditRecord;
use crate::error::StoreResult;

/// A time that somebody set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetentionOverride {
    /// Whose; `None` is of all that have none of their own.
    pub tenant: Option<TenantName>,
    /// Of what.
    pub subject: RetentionSubject,
    /// How long it is kept.
    pub kept: KeptFor,
}

/// A change of one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionChange {
    /// Of what.
    pub subject: RetentionSubject,
    /// How long it is kept; `None` goes back to the default.
    pub kept: Option<KeptFor>,
}

/// How far this process is behind with what it removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionLag {
    /// What is removed: `jobs`, `job_payloads`, …
    pub kind: &'static str,
    /// How long ago what it looks at next should have gone; zero where it has caught up.
    pub lag: DurationMs,
}

/// The store's operations on retention. What is removed by it, [`OperationsStore::prune`](crate::operations::OperationsStore::prune)
/// does.
#[async_trait]
pub trait RetentionStore {
    /// All times that somebody set, those of all first. There are as many as somebody cared to set.
    async fn retention_overrides(&self) -> StoreResult<Vec<RetentionOverride>>;

    /// Changes times of all or of a tenant, with the lines of the audit log, in one commit.
    async fn change_retention(
        &self,
        tenant: Option<&TenantName>,
        changes: &[RetentionChange],
        audit: &[AuditRecord],
        now: Timestamp,
    ) -> StoreResult<()>;

    /// How far this process was behind when it last removed something, of each kind that it has looked at.
    fn retention_lag(&self) -> Vec<RetentionLag>;
}
