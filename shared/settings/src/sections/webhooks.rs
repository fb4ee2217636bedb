//! Webhook endpoints.

use serde::{Deserialize, Serialize};

use crate::values::{ByteSize, RateLimit, rate_limit_or_off, size_or_unlimited};

/// Bounds of webhook endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WebhookSettings {
    /// The largest body of endpoints that set none themselves.
    pub max_body: ByteSize,
    /// How many rejected deliveries of each endpoint are kept.
    pub rejected_kept: u32,
    /// How many bytes of deliveries each endpoint holds while it is paused or over its rate.
    pub held_max: ByteSize,
    /// The most bytes of deliveries that are kept of one endpoint, 4 KiB for each beside its body; `None` is unlimited.
    #[serde(with = "size_or_unlimited")]
    pub stored_per_webhook: Option<ByteSize>,
    /// The same of all endpoints together.
    #[serde(with = "size_or_unlimited")]
    pub stored: Option<ByteSize>,
    /// How many requests each source address may make; `None` is no limit.
    #[serde(with = "rate_limit_or_off")]
    pub rate_limit_per_address: Option<RateLimit>,
    /// How many requests the endpoints of a tenant take together; `None` is no limit.
    #[serde(with = "rate_limit_or_off")]
    pub rate_limit_per_tenant: Option<RateLimit>,
}

impl Default for WebhookSettings {
    fn default() -> Self {
        Self {
            max_body: ByteSize::mebibytes(1),
            rejected_kept: 1_000,
            held_max: ByteSize(64 << 20),
            stored_per_webhook: Some(ByteSize(4 << 30)),
            stored: Some(ByteSize(64 << 30)),
            rate_limit_per_address: RateLimit::per_second(10_000),
            rate_limit_per_tenant: None,
        }
    }
}
