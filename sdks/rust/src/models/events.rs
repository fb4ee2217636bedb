//! Models of events. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::json::Json;

/// Events to send in one commit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventBatch {
    /// The events, at most 1,000.
    pub events: Vec<EventRequest>,
}

/// An event to send.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventRequest {
    /// Any JSON value, up to 1 MiB (default: null).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
    /// ID chosen by the sender. A second event with the same name and ID within 24 hours is a duplicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Event name: a letter or digit, then up to 127 letters, digits, `.`, `_`, `/` or `-`.
    pub name: String,
    /// Tenant (default: the key's tenant, or `default`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// W3C trace context passed to executions. Overrides the `traceparent` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

/// An event that was sent.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SentEvent {
    /// True for a duplicate; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deduplicated: Option<bool>,
    /// The delivery that stores the event; for a duplicate, the first one.
    pub delivery_id: String,
}

/// Events that were sent, in order.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SentEvents {
    /// One result for each event, in order.
    pub results: Vec<SentEvent>,
}
