//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{DeliveryTriggerOutcome, JobError, Priority, QueueName, WokenNode};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// One attempt of a job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Attempt {
    /// Attempt number, from 1.
    pub attempt_number: i32,
    /// `durationMs`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// `error`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
    /// `finishedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// `startedAt`.
    pub started_at: Timestamp,
    /// `PROCESSING`, `COMPLETED`, `FAILED`, `WORKER_LOST`, `TIMED_OUT` or `CANCELLED`.
    pub status: String,
    /// `workerId`.
    pub worker_id: String,
}

/// Objects that are changed before the operation pauses.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkCanary {
    /// How many.
    pub count: i64,
    /// `auto` (default): the operation goes on when all have an outcome and few enough are bad. `manual`: it waits for resume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proceed: Option<String>,
}

/// What a dry run found.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkCount {
    /// Number of matches.
    pub count: i64,
    /// Whether there are no more than `count`.
    pub exact: bool,
    /// The first ten, as their list shows them.
    pub samples: Vec<BTreeMap<String, Json>>,
}

/// Filter of a bulk operation: the parameters of the list as fields, each a value or a list of values, and `q`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkFilter {}

/// Objects to change.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkOperationRequest {
    /// Confirms an empty filter, which matches everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Objects that are changed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary: Option<BulkCanary>,
    /// Dry run: only counts the matches and shows ten of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// Filter. An empty filter requires `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<BulkFilter>,
    /// IDs of the objects, at most 10,000, instead of a filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// Maximum number of objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// Maximum rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_per_second: Option<i32>,
    /// Reason, at most 500 characters. Kept with the operation and in the audit log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Stops when more than this share failed or ended badly, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_on_failure_rate: Option<f64>,
}

/// A change.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChangeEvent {
    /// Whether the execution ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<bool>,
    /// The execution that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// The job that has new log lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// `queue`, `execution`, `job.logged`, `settings`, or `resync` if changes were missed and all resources must be read again.
    pub kind: String,
    /// The queue whose jobs or slots changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueName>,
}

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
    /// `priority`.
    pub priority: Priority,
    /// `queue`.
    pub queue: QueueName,
    /// Reason of the permanent failure.
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
    /// When the triggers were evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processed_at: Option<Timestamp>,
    /// Event ID of the provider, or of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_event_id: Option<String>,
    /// Reason of a rejected or parked delivery.
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
    /// How it came in: `webhook` or `event`.
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
