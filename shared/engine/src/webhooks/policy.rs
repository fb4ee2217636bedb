//! Bounds of webhooks, as values.

use rate_limits::Quota;

/// The most bytes of a body that any endpoint may take.
pub(crate) const BODY_BYTES_MAX: u64 = 25 * 1024 * 1024;

/// Bounds and defaults of webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookPolicy {
    /// The largest body of endpoints that set none, in bytes.
    pub max_body_default: u64,
    /// How many rejected deliveries of each endpoint are kept.
    pub rejected_max: u64,
    /// How many bytes each endpoint may hold, see [`store::webhooks::HeldDelivery`]; 0 to hold nothing.
    pub held_bytes_max: u64,
    /// How many requests each source address may make; `None` is no limit.
    pub rate_limit_per_address: Option<Quota>,
    /// How many requests the endpoints of a tenant take together; `None` is no limit.
    pub rate_limit_per_tenant: Option<Quota>,
}

impl Default for WebhookPolicy {
    fn default() -> Self {
        Self {
            max_body_default: 1024 * 1024,
            rejected_max: 1_000,
            held_bytes_max: 64 * 1024 * 1024,
            rate_limit_per_address: None,
            rate_limit_per_tenant: None,
        }
    }
}
