//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Attempt, JobError, OmittedPayload, Priority, QueueName, WokenNode};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// A job that failed permanently.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeadLetter {
    /// `archiveReason`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_reason: Option<String>,
    /// Number of attempts.
    pub attempt_count: i32,
    /// Attempts, oldest first. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Vec<Attempt>>,
    /// Searchable attributes by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<BTreeMap<String, Json>>,
    /// Payload of the job. Lists omit payloads above 4 KiB; read the dead letter instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
    /// `diedAt`.
    pub died_at: Timestamp,
    /// The last error.
    pub error: JobError,
    /// `executionId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// Fingerprint that groups failures of the same kind.
    pub fingerprint: String,
    /// `id`.
    pub id: String,
    /// `jobId`.
    pub job_id: String,
    /// `jobType`.
    pub job_type: String,
    /// `nodeId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// Payloads larger than `maxPayload`, which are null here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Vec<OmittedPayload>>,
    /// `priority`.
    pub priority: Priority,
    /// `queue`.
    pub queue: QueueName,
    /// Reason for the permanent failure.
    pub reason: DeadReason,
    /// When it was requeued or archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
    /// `status`.
    pub status: DeadLetterStatus,
    /// `tenant`.
    pub tenant: String,
    /// `workflow`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
}

open_enum! {
    /// DeadLetterStatus
    pub enum DeadLetterStatus {
        /// `open`.
        Open = "open",
        /// `requeued`.
        Requeued = "requeued",
        /// `archived`.
        Archived = "archived",
    }
}

open_enum! {
    /// DeadReason
    pub enum DeadReason {
        /// `retries_exhausted`.
        RetriesExhausted = "retries_exhausted",
        /// `non_retryable`.
        NonRetryable = "non_retryable",
        /// `worker_lost`.
        WorkerLost = "worker_lost",
        /// `timeout`.
        Timeout = "timeout",
    }
}

/// Starts one execution with the input of the last event, after a period without events.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Debounce {
    /// Key of the events that belong together, with `${…}` expressions (default: all events of the trigger).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Period without an event after which the execution starts, up to 30d.
    pub period: String,
    /// Maximum wait after the first event (default: 10 periods).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
}

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

open_enum! {
    /// ExecutionStatus
    pub enum ExecutionStatus {
        /// `PENDING`.
        Pending = "PENDING",
        /// `RUNNING`.
        Running = "RUNNING",
        /// `WAITING`.
        Waiting = "WAITING",
        /// `COMPLETED`.
        Completed = "COMPLETED",
        /// `FAILED`.
        Failed = "FAILED",
        /// `CANCELLED`.
        Cancelled = "CANCELLED",
        /// `COMPENSATING`.
        Compensating = "COMPENSATING",
    }
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
