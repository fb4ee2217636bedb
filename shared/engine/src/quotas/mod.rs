//! What tenants may keep: quotas, what of them is used, and the refusal of what would go beyond.
//!
//! Nothing that is written is counted in the database: rows that everybody writes to would make everybody wait. A process
//! measures what it needs to know when it first needs it, adds what it lets in, and measures anew before it refuses. So a
//! tenant may go beyond a quota by what other processes let in since (for some seconds), and never by more.

mod enforce;
mod meter;
mod set;
mod view;

pub(crate) use meter::Meter;
pub(crate) use set::QuotaCache;
pub use set::QuotaEdit;
pub use view::{UsageLine, UsageView};

use domain::quota::{QuotaKind, Quotas};

/// The quotas of tenants for whom nobody set any, and what webhooks may keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaPolicy {
    /// Of each tenant; of idempotency keys, of each API key.
    pub defaults: Quotas,
    /// Bytes of deliveries of one endpoint; `None` is unlimited.
    pub webhook_bytes: Option<u64>,
    /// Bytes of all deliveries; `None` is unlimited.
    pub all_delivery_bytes: Option<u64>,
}

impl Default for QuotaPolicy {
    /// 10 million answers for repeats of each key, 4 GiB of deliveries of each endpoint, 64 GiB of all.
    fn default() -> Self {
        Self {
            defaults: Quotas::default().with(QuotaKind::IdempotencyKeys, Some(10_000_000)),
            webhook_bytes: Some(4 << 30),
            all_delivery_bytes: Some(64 << 30),
        }
    }
}
