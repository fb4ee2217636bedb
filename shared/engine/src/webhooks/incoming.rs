//! A request to a webhook, and what it is answered.

use std::net::IpAddr;

use domain::id::DeliveryId;
use domain::quota::QuotaKind;
use domain::time::DurationMs;
use domain::webhook::HandshakeAnswer;

use crate::metrics;

/// When to come again while an endpoint is paused and holds no more, or cannot be opened. Providers try again for hours
/// at least.
const CLOSED_RETRY_AFTER: DurationMs = DurationMs::from_secs(60);

/// A request to an endpoint, as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// The method.
    pub method: String,
    /// The path, as received.
    pub path: String,
    /// What follows `?`, as received.
    pub query: Option<String>,
    /// Names and values in order; those that stand more than once do so here.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The exact body.
    pub body: Vec<u8>,
    /// Where it came from.
    pub remote_address: Option<IpAddr>,
    /// The trace context of its own span, where it has one; otherwise the sender's counts.
    pub traceparent: Option<String>,
}

/// How a request is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// It is stored.
    Accepted {
        /// As what.
        delivery_id: DeliveryId,
        /// The status of the answer.
        status: u16,
    },
    /// It is stored, and matched when its endpoint takes deliveries again.
    Held {
        /// As what.
        delivery_id: DeliveryId,
        /// The status of the answer.
        status: u16,
    },
    /// It came before: 200.
    Duplicate {
        /// The delivery that it repeats.
        delivery_id: DeliveryId,
    },
    /// It is a question of the provider.
    Handshake(HandshakeAnswer),
    /// It is not taken.
    Refused(RefusedDelivery),
}

/// A request that is not taken. Says no more than its sender may know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedDelivery {
    /// The status of the answer.
    pub status: u16,
    /// The word of the answer.
    pub error: &'static str,
    /// When to come again, where that helps.
    pub retry_after: Option<DurationMs>,
    /// The quota, or the setting, that it is beyond.
    pub quota: Option<&'static str>,
}

impl RefusedDelivery {
    pub(super) const fn new(status: u16, error: &'static str) -> Self {
        Self { status, error, retry_after: None, quota: None }
    }

    pub(super) const fn later(error: &'static str) -> Self {
        Self { retry_after: Some(CLOSED_RETRY_AFTER), ..Self::new(503, error) }
    }

    /// The same, counted by its word.
    pub(super) fn counted(self) -> Self {
        metrics::deliveries(self.error, 1);
        self
    }

    pub(super) const fn paused() -> Self {
        Self { retry_after: Some(CLOSED_RETRY_AFTER), ..Self::new(429, "paused") }
    }

    /// There is no room for it.
    pub(super) const fn over_quota(quota: &'static str) -> Self {
        let quota = Some(quota);
        Self { retry_after: Some(CLOSED_RETRY_AFTER), quota, ..Self::new(429, "quota_exceeded") }
    }

    /// A sentence on what it is beyond, and what helps: senders show it to whoever set them up.
    pub fn detail(&self) -> Option<String> {
        let remedy = QuotaKind::DeliveryBytes.remedy();
        self.quota.map(|quota| format!("The limit {quota} of stored deliveries is exceeded. {remedy}"))
    }
}

impl Incoming {
    pub(super) fn is_packed(&self) -> bool {
        self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-encoding"))
    }
}
