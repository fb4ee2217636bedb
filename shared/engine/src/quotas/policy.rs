//! Bounds of what may be kept, as values.

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
