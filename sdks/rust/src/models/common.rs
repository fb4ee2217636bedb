//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{JobError, QueueName};
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
    /// `status`.
    pub status: AttemptStatus,
    /// `workerId`.
    pub worker_id: String,
}

open_enum! {
    /// AttemptStatus
    pub enum AttemptStatus {
        /// `PROCESSING`.
        Processing = "PROCESSING",
        /// `COMPLETED`.
        Completed = "COMPLETED",
        /// `FAILED`.
        Failed = "FAILED",
        /// `WORKER_LOST`.
        WorkerLost = "WORKER_LOST",
        /// `TIMED_OUT`.
        TimedOut = "TIMED_OUT",
        /// `CANCELLED`.
        Cancelled = "CANCELLED",
    }
}

/// A declared attribute.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Attribute {
    /// Path to the value in a payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// When it was declared. Objects created earlier do not have it.
    pub since: Timestamp,
    /// Where it is declared: `jobType`, `workflow`, `definition` or `tenant`.
    pub source: String,
    /// `type`.
    pub r#type: AttributeType,
}

/// An attribute to declare.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AttributeDeclaration {
    /// Path to the value in a payload: `data` or `result` of jobs, `input` or `output` of executions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `text` (at most 256 bytes), `integer`, `number`, `boolean` or `instant`.
    pub r#type: AttributeType,
}

open_enum! {
    /// AttributeType
    pub enum AttributeType {
        /// `text`.
        Text = "text",
        /// `integer`.
        Integer = "integer",
        /// `number`.
        Number = "number",
        /// `boolean`.
        Boolean = "boolean",
        /// `instant`.
        Instant = "instant",
    }
}

/// A bulk operation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Batch {
    /// Who started it.
    pub actor: String,
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Number of changed objects.
    pub done: i64,
    /// Number of changed objects whose resulting job, execution or delivery failed.
    pub ended_badly: i64,
    /// Number of objects that could not be changed.
    pub failed: i64,
    /// `finishedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// `id`.
    pub id: String,
    /// Kind of operation, such as `dead_letters.requeue`.
    pub kind: String,
    /// Number of changed objects whose resulting job, execution or delivery has not ended.
    pub pending: i64,
    /// `reason`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The original request.
    pub request: Json,
    /// Number of objects that no longer existed or no longer matched.
    pub skipped: i64,
    /// `status`.
    pub status: BatchStatus,
    /// Reason for the status: `canary`, `operator`, `failure_rate` or `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    /// `tenant`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Number of objects. It grows while the operation is `preparing`.
    pub total: i64,
    /// `updatedAt`.
    pub updated_at: Timestamp,
}

/// Starts one execution for several events.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BatchOfEvents {
    /// Key of the events that belong together, with `${…}` expressions (default: all events of the trigger).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Number of events after which the execution starts.
    pub max_size: i32,
    /// Maximum wait after the first event, up to 30d.
    pub timeout: String,
}

open_enum! {
    /// BatchStatus
    pub enum BatchStatus {
        /// `preparing`.
        Preparing = "preparing",
        /// `running`.
        Running = "running",
        /// `paused`.
        Paused = "paused",
        /// `completed`.
        Completed = "completed",
        /// `aborted`.
        Aborted = "aborted",
        /// `failed`.
        Failed = "failed",
    }
}

/// A job type whose jobs only workers of certain builds receive.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BuildPin {
    /// The builds whose workers receive its jobs.
    pub builds: Vec<String>,
    /// `jobType`.
    pub job_type: String,
    /// When the pin was set; for a worker's pin, when that worker started.
    pub since: Timestamp,
    /// `operator`, or `worker` if a worker set the pin when it started.
    pub source: String,
    /// Tenant whose jobs the pin applies to; absent for a pin that applies to all tenants without their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
}

/// The objects that a bulk operation changes first, before it pauses.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkCanary {
    /// Number of objects.
    pub count: i64,
    /// `auto` (default): the operation continues when all of them have an outcome and the failure rate is acceptable.
    /// `manual`: it waits until it is resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proceed: Option<String>,
}

/// The result of a dry run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkCount {
    /// Number of matches.
    pub count: i64,
    /// Whether `count` is exact. Otherwise it is a lower bound.
    pub exact: bool,
    /// The first ten matches, in the format of their list.
    pub samples: Vec<BTreeMap<String, Json>>,
}

/// Filter of a bulk operation: the query parameters of the list as fields, each a value or a list of values, and `q`.
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
    /// `queue`, `execution`, `job.logged`, `alert`, `settings`, or `resync` if changes were missed and all resources must be
    /// read again.
    pub kind: String,
    /// The queue whose jobs or slots changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueName>,
}
