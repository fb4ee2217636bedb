//! Models of dead letters. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::{BulkCanary, BulkFilter, DeadLetterStatus, JobError, Priority};
use crate::json::Json;
use crate::timestamp::Timestamp;

/// Options of archiving a dead letter.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ArchiveRequest {
    /// Reason, stored with the dead letter.
    pub reason: String,
}

/// Dead letters to requeue.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkRequeueRequest {
    /// Confirms an empty filter, which matches everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Objects that are changed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary: Option<BulkCanary>,
    /// New payload for each job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
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
    /// New maximum number of retries for each job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<i32>,
    /// `priority`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
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

/// A dead letter after it was requeued or archived.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeadLetterChange {
    /// `id`.
    pub id: String,
    /// Job ID, which does not change.
    pub job_id: String,
    /// `status`.
    pub status: DeadLetterStatus,
}

/// A group of dead letters with the same kind of error.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeadLetterGroup {
    /// Number of open dead letters.
    pub count: i64,
    /// Error of the newest dead letter.
    pub error: JobError,
    /// `fingerprint`.
    pub fingerprint: String,
    /// `firstAt`.
    pub first_at: Timestamp,
    /// `jobType`.
    pub job_type: String,
    /// `lastAt`.
    pub last_at: Timestamp,
}

/// Changes applied by a requeue. Absent fields keep the values of the job.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RequeueRequest {
    /// New payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
    /// New maximum number of retries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<i32>,
    /// `priority`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
}
