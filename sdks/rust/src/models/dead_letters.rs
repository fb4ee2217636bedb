//! Models of dead letters. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::{BulkCanary, BulkFilter, DeadLetterStatus, JobError, Priority};
use crate::json::Json;
use crate::open_enum::open_enum;
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
    /// Canary: objects that are changed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary: Option<BulkCanary>,
    /// New payload for each job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
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
    /// New maximum number of retries for each job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<i32>,
    /// `priority`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
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
    /// `decidedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// Who made the last decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
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
    /// `note`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether a resolved or ignored group reopened automatically.
    pub reopened: bool,
    /// `state`.
    pub state: DeadLetterGroupState,
    /// Number of tenants with open dead letters.
    pub tenant_count: i64,
    /// The most affected tenants, at most ten.
    pub tenants: Vec<DeadLetterGroupTenant>,
    /// Permanent failures in each hour of the last day, oldest first; the last is the current hour.
    pub trend: Vec<i64>,
    /// When an ignored group reopens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<DeadLetterGroupUntil>,
}

/// State of a group of dead letters, with the last decision about it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeadLetterGroupStanding {
    /// `decidedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<Timestamp>,
    /// Who made the last decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// `fingerprint`.
    pub fingerprint: String,
    /// `note`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether a resolved or ignored group reopened automatically.
    pub reopened: bool,
    /// `state`.
    pub state: DeadLetterGroupState,
    /// When an ignored group reopens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<DeadLetterGroupUntil>,
}

open_enum! {
    /// DeadLetterGroupState
    pub enum DeadLetterGroupState {
        /// `open`.
        Open = "open",
        /// `resolved`.
        Resolved = "resolved",
        /// `ignored`.
        Ignored = "ignored",
    }
}

/// A tenant in a group of dead letters.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeadLetterGroupTenant {
    /// Number of open dead letters.
    pub count: i64,
    /// `tenant`.
    pub tenant: String,
}

/// When an ignored group reopens: as soon as one of these conditions is met.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeadLetterGroupUntil {
    /// Reopens after this number of further dead letters, 1 to 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
    /// Instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instant: Option<Timestamp>,
    /// Reopens with the first dead letter of an execution of this version of `workflow`, or of a later version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Workflow of `version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
}

/// Options of resolving or reopening a group.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GroupDecisionRequest {
    /// Explanation for other people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Options of ignoring a group.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct GroupIgnoreRequest {
    /// Explanation for other people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When the group reopens (default: only when someone reopens it).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<DeadLetterGroupUntil>,
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
