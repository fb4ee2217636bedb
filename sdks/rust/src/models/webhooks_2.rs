//! Models of webhooks. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::{BatchOfEvents, Debounce, Priority, Throttle};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// How requests are signed. The provider `hmac` supports all fields and requires `header`; other providers support only `tolerance` and `eventType`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookScheme {
    /// HMAC algorithm (default `sha256`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Encoding of the signature (default `hex`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Location of the event type: `header:`<name>`` or `field:<JSON pointer>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// Header that contains the signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Header that contains the signed ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_header: Option<String>,
    /// Separator of multiple signatures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_separator: Option<String>,
    /// Prefix of each signature, such as `sha256=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Encoding of the secret (default `text`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_encoding: Option<String>,
    /// Template of the signed content over {id}, {timestamp}, {url}, {method} and {body} (default `{body}`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_content: Option<String>,
    /// Header that contains the signed timestamp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp_header: Option<String>,
    /// Prefix of the signed timestamp in the signature header, such as `t=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp_item: Option<String>,
    /// Unit of the timestamp (default `s`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp_unit: Option<String>,
    /// Maximum clock difference of the signed timestamp, 1s to 24h (default 5m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<String>,
}

/// A secret of an endpoint, without its value.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookSecret {
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Expiry time; absent for the current secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// `id`.
    pub id: String,
    /// Whether the server has the encryption key of the secret.
    pub openable: bool,
    /// `purpose`.
    pub purpose: WebhookSecretPurpose,
}

open_enum! {
    /// WebhookSecretPurpose
    pub enum WebhookSecretPurpose {
        /// `signature`.
        Signature = "signature",
        /// `verifyToken`.
        VerifyToken = "verifyToken",
    }
}

/// A trigger that starts a workflow.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WebhookTrigger {
    /// Starts one execution for several events. In `input`, only `batch` is in scope:
    /// a list of `{event, body, delivery}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchOfEvents>,
    /// Starts one execution with the input of the last event, after a period without events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debounce: Option<Debounce>,
    /// Event types to match, such as `push` or `issue.*` (default: all).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
    /// CEL condition over `body`, `headers`, `event`, `query` and `delivery`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Trigger ID, unique within the endpoint (default: derived from the workflow name).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Execution input, with `${…}` expressions in strings (default: the body).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// Priority (default `high`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Limits the number of starts in any period. Further starts are delayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttle: Option<Throttle>,
    /// Workflow version (default: the latest).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Workflow to start.
    pub workflow: String,
}
