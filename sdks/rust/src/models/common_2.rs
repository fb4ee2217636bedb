//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::WokenNode;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// A request to a webhook endpoint.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Delivery {
    /// The exact body, encoded as `bodyEncoding`. Absent in lists and if it is not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Size of the body in bytes, even if the body is not stored.
    pub body_bytes: i64,
    /// `text` if the body is UTF-8, otherwise `base64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_encoding: Option<String>,
    /// A curl command that sends the request again, without redacted values. Absent in lists and for events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curl: Option<String>,
    /// For a duplicate, the first delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// Event type of the provider, or the name of the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_type: Option<String>,
    /// Executions that the delivery started.
    pub executions: Vec<String>,
    /// Header names and values in order, with signatures, tokens and cookies redacted. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<Vec<Vec<String>>>,
    /// `id`.
    pub id: String,
    /// Its job on `workflow-webhook`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// HTTP method; null for an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The body, if it is larger than `maxPayload` and therefore absent here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Vec<OmittedPayload>>,
    /// When retention dropped the body. `bodyBytes` is 0 from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_dropped_at: Option<Timestamp>,
    /// When the triggers were evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processed_at: Option<Timestamp>,
    /// Event ID of the provider, or of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_event_id: Option<String>,
    /// Reason for rejecting or parking the delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `receivedAt`.
    pub received_at: Timestamp,
    /// `remoteAddress`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_address: Option<String>,
    /// For a replay, the original delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_of: Option<String>,
    /// ID of the secret that verified the delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_id: Option<String>,
    /// How it was received: `webhook` or `event`.
    pub source: DeliverySource,
    /// `status`.
    pub status: DeliveryStatus,
    /// Path and query, with sensitive values redacted; null for an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// `tenant`.
    pub tenant: String,
    /// `traceparent`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// Result of each trigger. Absent in lists and before the triggers are evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub triggers: Option<Vec<DeliveryTriggerOutcome>>,
    /// The endpoint; null for an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook_id: Option<String>,
    /// Nodes of waiting executions that the delivery woke, up to about 1,000.
    pub woke: Vec<WokenNode>,
}

open_enum! {
    /// DeliverySource
    pub enum DeliverySource {
        /// `webhook`.
        Webhook = "webhook",
        /// `event`.
        Event = "event",
    }
}

open_enum! {
    /// DeliveryStatus
    pub enum DeliveryStatus {
        /// `accepted`.
        Accepted = "accepted",
        /// `held`.
        Held = "held",
        /// `matched`.
        Matched = "matched",
        /// `unmatched`.
        Unmatched = "unmatched",
        /// `parked`.
        Parked = "parked",
        /// `duplicate`.
        Duplicate = "duplicate",
        /// `rejected`.
        Rejected = "rejected",
        /// `handshake`.
        Handshake = "handshake",
    }
}

/// Error of a trigger.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveryTriggerError {
    /// Stable code, such as `filter_failed`.
    pub code: String,
    /// Message.
    pub message: String,
}

/// The result of a trigger.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveryTriggerOutcome {
    /// `error`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<DeliveryTriggerError>,
    /// `executionId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// Earliest expected start time, estimated when the trigger was evaluated. Present while the start is put off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub put_off_until: Option<Timestamp>,
    /// `started`, `started_before`, `joined`, `exists`, `no_match` or `error`; `debounced`, `throttled` or `batched`
    /// while the start is put off.
    pub result: String,
    /// `triggerId`.
    pub trigger_id: String,
    /// `workflow`.
    pub workflow: String,
}

/// Why an execution failed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionError {
    /// `code`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// `message`.
    pub message: String,
    /// ID of the failed node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

/// One error of an invalid request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Fault {
    /// With `query_invalid` and `attribute_undeclared`: length of the invalid part, in code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<i32>,
    /// What is wrong and what is expected.
    pub message: String,
    /// JSON pointer into the body, or `/` and the name of the query parameter.
    pub pointer: String,
    /// With `query_invalid` and `attribute_undeclared`: start of the invalid part of the query, in code points from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<i32>,
}

/// Server status.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Health {
    /// Time since which this server has been unable to reach Kafka, if it publishes jobs there. Meanwhile, jobs wait in
    /// the database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker_away_since: Option<Timestamp>,
    /// `ok` or `ready`.
    pub status: String,
}

/// An error of a job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobError {
    /// Error code for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Additional details from the handler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
    /// Message for people.
    pub message: String,
}

/// Limits of one queue. Absent fields keep their limit; null removes an override.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LimitChanges {
    /// Rate of each job type without its own rate. Only on `/v1/limits`, for `workflow-node`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_type_rate: Option<Json>,
    /// Maximum number of concurrent jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// Starts per period: a window such as `"100/1m"`, which allows at most 100 starts in any minute, or a token bucket
    /// that refills evenly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Json>,
    /// Limit of each tenant without its own limit. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_max_concurrent: Option<i32>,
    /// Rate of each tenant without its own rate. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_rate: Option<Json>,
    /// Limit of each workflow without its own limit. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_max_concurrent: Option<i32>,
    /// Rate of each workflow without its own rate. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_rate: Option<Json>,
}

/// Number of matching objects.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListCount {
    /// Whether `value` is exact. Otherwise it is a lower bound, because counting is bounded.
    pub exact: bool,
    /// Number of matches, at most 10,000.
    pub value: i64,
}

open_enum! {
    /// LogLevel
    pub enum LogLevel {
        /// `debug`.
        Debug = "debug",
        /// `info`.
        Info = "info",
        /// `warn`.
        Warn = "warn",
        /// `error`.
        Error = "error",
    }
}

/// A payload that was left out.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OmittedPayload {
    /// Size of its JSON text, or of the body of a delivery, in bytes.
    pub bytes: i32,
    /// Name of the field, which is null instead.
    pub field: String,
    /// Path of the payload.
    pub href: String,
    /// SHA-256 of the same bytes, in hexadecimal.
    pub sha256: String,
}

/// The values set for one tenant, workflow or job type, or for a job type of one tenant.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnLimit {
    /// `jobType`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_type: Option<String>,
    /// Maximum number of concurrent jobs; null means unlimited; absent if only a rate is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// Starts per period; absent if only a limit is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Json>,
    /// The tenant; for a workflow, the tenant that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// `workflow`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
}

open_enum! {
    /// Priority
    pub enum Priority {
        /// `high`.
        High = "high",
        /// `normal`.
        Normal = "normal",
        /// `low`.
        Low = "low",
    }
}
