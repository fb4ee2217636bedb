//! Models of jobs. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Attempt, BulkCanary, BulkFilter, JobError, JobStatus, LogLine, OmittedPayload, Priority, Problem,
    QueueName,
};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

open_enum! {
    /// AcceptOutcome
    pub enum AcceptOutcome {
        /// `ok`.
        Ok = "ok",
        /// `taken`.
        Taken = "taken",
        /// `already_done`.
        AlreadyDone = "already_done",
        /// `cancelled`.
        Cancelled = "cancelled",
        /// `lease_lost`.
        LeaseLost = "lease_lost",
    }
}

/// A job to accept.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Acceptance {
    /// `id`.
    pub id: String,
    /// Lease token of the message.
    pub lease_token: String,
}

/// Jobs to accept.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Acceptances {
    /// The received jobs.
    pub jobs: Vec<Acceptance>,
    /// Worker ID, random per process.
    pub worker_id: String,
}

/// The outcome of one job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AcceptedJob {
    /// `id`.
    pub id: String,
    /// Expiry time of the lease unless a heartbeat renews it. Present if the outcome is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
    /// Lease (fencing) token, required in every report. Keep it secret. Present if the outcome is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_token: Option<String>,
    /// `outcome`.
    pub outcome: AcceptOutcome,
    /// Last progress reported by an earlier attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Json>,
}

/// The outcomes, in order.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AcceptedJobs {
    /// One outcome per job.
    pub results: Vec<AcceptedJob>,
}

/// Backoff between retries: `initial`, `initial × factor`, … up to `max`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Backoff {
    /// Multiplier of consecutive delays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// Delay before the first retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
    /// Whether delays are randomized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<bool>,
    /// Maximum delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<String>,
}

/// The result of one item.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BatchResultEnqueued {
    /// True if an unfinished job with the same unique key already exists; absent for a new job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing: Option<bool>,
    /// Job ID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Queue position: lower positions of a lane are processed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<i64>,
    /// Status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<JobStatus>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

/// Jobs to move to another priority.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkReprioritizeRequest {
    /// Confirms an empty filter, which matches everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Canary: objects that are changed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary: Option<BulkCanary>,
    /// Dry run: only counts the matches and shows up to ten of them.
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
    /// New priority. Required.
    pub priority: Priority,
    /// Maximum number of objects changed per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_per_second: Option<i32>,
    /// Reason, at most 500 characters. Kept with the operation and in the audit log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Stops when more than this fraction of the objects failed, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_on_failure_rate: Option<f64>,
}

/// A completed job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Completion {
    /// Searchable attributes by name: values of their declared types, or lists of at most 16 values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<BTreeMap<String, Json>>,
    /// `id`.
    pub id: String,
    /// `leaseToken`.
    pub lease_token: String,
    /// Log lines of the attempt so far; at most 100 per call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<Vec<LogLine>>,
    /// Result of the handler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
}

/// An accepted job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Enqueued {
    /// True if an unfinished job with the same unique key already exists; absent for a new job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing: Option<bool>,
    /// Job ID.
    pub id: String,
    /// Queue position: lower positions of a lane are processed first.
    pub position: i64,
    /// Status.
    pub status: JobStatus,
}

/// A failed job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Failure {
    /// Error: an object, or just a message.
    pub error: JobError,
    /// `id`.
    pub id: String,
    /// `leaseToken`.
    pub lease_token: String,
    /// Log lines of the attempt so far; at most 100 per call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<Vec<LogLine>>,
    /// Delay before the next retry, instead of the backoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<String>,
    /// Retryable (default true).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
}

/// A lease to renew.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Heartbeat {
    /// New lease duration from now on (default: the original duration).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extend: Option<String>,
    /// `id`.
    pub id: String,
    /// `leaseToken`.
    pub lease_token: String,
    /// Log lines of the attempt so far; at most 100 per call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<Vec<LogLine>>,
    /// Progress, shown with the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Json>,
}

/// A job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Job {
    /// Attempts, oldest first. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Vec<Attempt>>,
    /// Searchable attributes by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<BTreeMap<String, Json>>,
    /// `backoff`.
    pub backoff: Backoff,
    /// `completedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// `concurrencyKey`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency_key: Option<String>,
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Payload. Lists omit payloads above 4 KiB; read the job instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
    /// The last error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
    /// `executionId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// Fingerprint of the last error: the same for failures of the same kind, and for the dead letter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// `id`.
    pub id: String,
    /// `jobType`.
    pub job_type: String,
    /// Expiry time of the lease, while the job is leased.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
    /// `maxRetries`.
    pub max_retries: i32,
    /// `nodeId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// Expiry time of the current offer through Kafka, during which the status is `QUEUED`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_until: Option<Timestamp>,
    /// Payloads larger than `maxPayload`, which are null here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Vec<OmittedPayload>>,
    /// When retention dropped the data and the result, which are null from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_dropped_at: Option<Timestamp>,
    /// Queue position within its lane.
    pub position: i64,
    /// `priority`.
    pub priority: Priority,
    /// When the last attempt started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processed_at: Option<Timestamp>,
    /// Last progress reported by the worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Json>,
    /// `queue`.
    pub queue: QueueName,
    /// `rateKey`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_key: Option<String>,
    /// `result`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// `retryCount`.
    pub retry_count: i32,
    /// Earliest time of the next attempt.
    pub run_at: Timestamp,
    /// `status`.
    pub status: JobStatus,
    /// `tags`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// `tenant`.
    pub tenant: String,
    /// `timeout`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// `traceparent`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// `uniqueKey`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_key: Option<String>,
    /// Worker that holds or last held the lease.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker_id: Option<String>,
    /// Workflow whose limits apply to the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
}
