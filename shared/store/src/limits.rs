//! Limits that operators set at run time.

use async_trait::async_trait;
use domain::limits::{LimitOverride, LimitScope};
use domain::names::TenantName;
use domain::queue::QueueName;
use domain::rate::{KeyRate, Rate, RateOverride, RateScope};
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

/// A change of one rate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateChange {
    /// The queue.
    pub queue: QueueName,
    /// Whom it is for.
    pub scope: RateScope,
    /// `None` removes it.
    pub rate: Option<Rate>,
}

/// The store's operations on limits.
#[async_trait]
pub trait LimitStore {
    /// All overrides.
    async fn limit_overrides(&self) -> StoreResult<Vec<LimitOverride>>;

    /// All rates that are set.
    async fn rate_overrides(&self) -> StoreResult<Vec<RateOverride>>;

    /// All rates of callers' own keys, those of a tenant together.
    async fn key_rates(&self) -> StoreResult<Vec<KeyRate>>;

    /// Sets the rate of keys, if the tenant then has no more than `rates_max` of them; answers whether it has. A claim that
    /// starts after the commit obeys it.
    async fn set_key_rate(&self, rate: &KeyRate, rates_max: u32, now: Timestamp) -> StoreResult<bool>;

    /// Removes the rate of keys; answers whether it was there.
    async fn remove_key_rate(&self, tenant: &TenantName, pattern: &str) -> StoreResult<bool>;

    /// Changes overrides and rates in one commit. A claim that starts after the commit obeys them.
    async fn change_limits_and_rates(
        &self,
        limits: &[LimitChange],
        rates: &[RateChange],
        now: Timestamp,
    ) -> StoreResult<()>;
}
