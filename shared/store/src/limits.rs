//! Limits that operators set at run time.

use async_trait::async_trait;
use domain::limits::{LimitOverride, LimitScope};
use domain::queue::QueueName;
use domain::time::Timestamp;

use crate::error::StoreResult;

/// A change of one limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitChange {
    /// The queue.
    pub queue: QueueName,
    /// Whom it is for.
    pub scope: LimitScope,
    /// `None` removes the override; `Some(None)` sets "no limit".
    pub max_concurrent: Option<Option<u32>>,
}

/// The store's operations on limits.
#[async_trait]
pub trait LimitStore {
    /// All overrides.
    async fn limit_overrides(&self) -> StoreResult<Vec<LimitOverride>>;

    /// Changes overrides in one commit. A claim that starts after the commit obeys them.
    async fn change_limits(&self, changes: &[LimitChange], now: Timestamp) -> StoreResult<()>;
}
