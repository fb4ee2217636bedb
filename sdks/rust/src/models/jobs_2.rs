//! Models of jobs. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Backoff, JobError, LogLevel, Priority};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// Jobs to enqueue in one commit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobBatch {
    /// The jobs, at most 10,000.
    pub jobs: Vec<JobRequest>,
    /// Whether valid jobs are accepted even if others are invalid (default false: atomic).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
}

/// A changed job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobChange {
    /// `id`.
    pub id: String,
    /// New status.
    pub status: JobStatus,
}

/// Log lines of a leased job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobLines {
    /// `id`.
    pub id: String,
    /// `leaseToken`.
    pub lease_token: String,
    /// Lines, in order; at most 100 per call.
    pub lines: Vec<LogLine>,
}

/// A job to enqueue.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct JobRequest {
    /// Searchable attributes by name: values of their declared types, or lists of at most 16 values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<BTreeMap<String, Json>>,
    /// Backoff between retries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff: Option<Backoff>,
    /// At most one leased job of the tenant has this key, or as many as `maxConcurrent` of `/v1/rates/{key}` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency_key: Option<String>,
    /// Payload, passed to the worker unchanged (default `null`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
    /// Delay before the earliest start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// Maximum wait for the start, counted from when the job may run. A job that has not started by then is cancelled
    /// with the error code `expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<String>,
    /// Job type, which selects the handler.
    pub job_type: String,
    /// Maximum number of retries after a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<i32>,
    /// Priority (default `normal`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Rate key. If a rate is set for it, starts of the job are counted under that rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_key: Option<String>,
    /// Earliest start time. Mutually exclusive with `delay`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_at: Option<Timestamp>,
    /// Tags for filtering.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Tenant (default: the key's tenant, or `default`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Timeout of each attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<String>,
    /// W3C trace context passed to the worker. Overrides the `traceparent` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// At most one unfinished job of the tenant has this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_key: Option<String>,
}

open_enum! {
    /// JobStatus
    pub enum JobStatus {
        /// `SCHEDULED`.
        Scheduled = "SCHEDULED",
        /// `QUEUED`.
        Queued = "QUEUED",
        /// `PROCESSING`.
        Processing = "PROCESSING",
        /// `WAITING`.
        Waiting = "WAITING",
        /// `RETRY_WAIT`.
        RetryWait = "RETRY_WAIT",
        /// `COMPLETED`.
        Completed = "COMPLETED",
        /// `FAILED`.
        Failed = "FAILED",
        /// `DEAD_LETTER`.
        DeadLetter = "DEAD_LETTER",
        /// `CANCELLED`.
        Cancelled = "CANCELLED",
    }
}

open_enum! {
    /// LeaseOutcome
    pub enum LeaseOutcome {
        /// `ok`.
        Ok = "ok",
        /// `already_done`.
        AlreadyDone = "already_done",
        /// `cancelled`.
        Cancelled = "cancelled",
        /// `lease_lost`.
        LeaseLost = "lease_lost",
        /// `rejected`.
        Rejected = "rejected",
    }
}

/// A log line of a handler.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LogLine {
    /// Time of the line by the worker's clock (default: now).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// Structured fields: an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<BTreeMap<String, Json>>,
    /// `level`.
    pub level: LogLevel,
    /// Text; message and fields have at most 8 KiB together, and longer lines are cut.
    pub message: String,
    /// Number of the line in its attempt, from 1. Lines that were already received are not stored again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<i32>,
}

/// The outcome of one report.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Outcome {
    /// `id`.
    pub id: String,
    /// New expiry time of the lease, after a heartbeat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
    /// `outcome`.
    pub outcome: LeaseOutcome,
    /// Reason for rejecting the report. The lease stays valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The outcomes of the reports, in order.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Outcomes {
    /// True if an operator is draining the worker, which should finish its jobs and exit; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain: Option<bool>,
    /// Leased jobs, in the order in which to start them; present if the reports came with a `poll`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Vec<PolledJob>>,
    /// One outcome per report.
    pub results: Vec<Outcome>,
}

/// A poll for jobs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Poll {
    /// Build that the worker runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// Pins the job types to these builds when the worker starts. The list must include the worker's own build. From
    /// then on, only workers of these builds receive their jobs. A worker that starts later replaces the pin, but not a
    /// pin set by an operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builds: Option<Vec<String>>,
    /// Job types that the worker handles.
    pub job_types: Vec<String>,
    /// Lease duration (default: the queue's setting).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<String>,
    /// Maximum number of jobs (default 1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_jobs: Option<i32>,
    /// Filter by tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Maximum wait for a job, up to 30 s (default: no wait).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<String>,
    /// Worker ID, random per process.
    pub worker_id: String,
}

/// A leased job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolledJob {
    /// The number of this attempt, from 1.
    pub attempt: i32,
    /// `data`.
    pub data: Json,
    /// Deadline of this attempt if the job has a `timeout`. Heartbeats do not extend the lease beyond it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// `executionId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// `id`.
    pub id: String,
    /// Idempotency key for external systems; the same for every attempt of the job.
    pub idempotency_key: String,
    /// `jobType`.
    pub job_type: String,
    /// Error of the last failed attempt, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<JobError>,
    /// Expiry time of the lease unless a heartbeat renews it.
    pub lease_expires_at: Timestamp,
    /// Lease (fencing) token, required in every report. Keep it secret.
    pub lease_token: String,
    /// Maximum number of retries after a failure.
    pub max_retries: i32,
    /// `nodeId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// Last progress reported by an earlier attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Json>,
    /// `tenant`.
    pub tenant: String,
    /// `traceparent`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// `workflow`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
}

/// The result of a poll.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PolledJobs {
    /// True if an operator is draining the worker, which should finish its jobs and exit; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drain: Option<bool>,
    /// Leased jobs, in the order in which to start them; empty if none is available.
    pub jobs: Vec<PolledJob>,
}

/// A job to release.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Release {
    /// Delay before the job may run again (default: none).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// `id`.
    pub id: String,
    /// `leaseToken`.
    pub lease_token: String,
}

/// New priority.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReprioritizeRequest {
    /// `priority`.
    pub priority: Priority,
}
