//! What tenants use of the store, and how much of it they may.

use std::sync::atomic::AtomicU64;

use async_trait::async_trait;
use domain::id::WebhookId;
use domain::names::TenantName;
use domain::quota::QuotaKind;
use domain::time::Timestamp;

use crate::error::StoreResult;

/// What can be measured. Counted when it is asked for: nothing that is written pays for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Measured {
    /// What a tenant has of a kind.
    Tenant(TenantName, QuotaKind),
    /// The bytes of the deliveries of one endpoint.
    Webhook(TenantName, WebhookId),
    /// The bytes of all deliveries.
    AllDeliveries,
    /// The answers that are kept for repeats of one owner of idempotency keys.
    IdempotencyOwner(String),
}

/// A quota that somebody set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaRecord {
    /// Whose.
    pub tenant: TenantName,
    /// Of what.
    pub kind: QuotaKind,
    /// How much; `None` is unlimited, whatever the default.
    pub quota: Option<u64>,
}

/// A change of one quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaChange {
    /// Of what.
    pub kind: QuotaKind,
    /// `None` goes back to the default; `Some(None)` is unlimited.
    pub quota: Option<Option<u64>>,
}

/// The store's operations on usage.
#[async_trait]
pub trait UsageStore {
    /// How much there is.
    async fn measure(&self, what: &Measured) -> StoreResult<u64>;

    /// The same of a tenant for whoever looks at it, apart from what claims and calls of workers use: given up where that takes
    /// longer than a list may, or the caller leaves.
    async fn shown_usage(&self, tenant: &TenantName, kind: QuotaKind) -> StoreResult<u64>;

    /// How many jobs and executions of a tenant have ended and are kept, counted in steps: `so_far` is a lower bound at any time,
    /// also where counting is given up.
    async fn count_history(&self, tenant: &TenantName, so_far: &AtomicU64) -> StoreResult<u64>;

    /// How many bytes of log lines a tenant has, added up in steps: `so_far` is a lower bound at any time, also where that is given
    /// up.
    async fn sum_log_bytes(&self, tenant: &TenantName, so_far: &AtomicU64) -> StoreResult<u64>;

    /// All quotas that somebody set, of all tenants.
    async fn quotas(&self) -> StoreResult<Vec<QuotaRecord>>;

    /// Changes quotas of a tenant in one commit.
    async fn change_quotas(
        &self,
        tenant: &TenantName,
        changes: &[QuotaChange],
        now: Timestamp,
    ) -> StoreResult<()>;

    /// Whether an answer is kept, or being made, under an idempotency key.
    async fn has_idempotency_key(&self, owner: &str, key: &str) -> StoreResult<bool>;
}
