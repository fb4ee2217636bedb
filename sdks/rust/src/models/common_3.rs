//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::{DeliveryStatus, Fault};
use crate::json::Json;
use crate::open_enum::open_enum;

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

open_enum! {
    /// NodeStatus
    pub enum NodeStatus {
        /// `PENDING`.
        Pending = "PENDING",
        /// `RUNNING`.
        Running = "RUNNING",
        /// `WAITING`.
        Waiting = "WAITING",
        /// `RETRY_WAIT`.
        RetryWait = "RETRY_WAIT",
        /// `COMPLETED`.
        Completed = "COMPLETED",
        /// `SKIPPED`.
        Skipped = "SKIPPED",
        /// `FAILED`.
        Failed = "FAILED",
        /// `CANCELLED`.
        Cancelled = "CANCELLED",
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

/// A problem document (RFC 9457).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Problem {
    /// Stable error code for programs.
    pub code: String,
    /// Description of this occurrence.
    pub detail: String,
    /// Errors of an invalid request, each with its location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<Fault>>,
    /// With `execution_exists`: ID of the open execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing_id: Option<String>,
    /// With `attribute_undeclared`: command that declares the attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// With `quota_exceeded`: value of the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i64>,
    /// With `quota_exceeded`: name of the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<String>,
    /// HTTP status code.
    pub status: i32,
    /// HTTP status text.
    pub title: String,
    /// URN that ends in the code.
    pub r#type: String,
    /// With `quota_exceeded`: current usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<i64>,
}

/// Effective limits of one queue with their sources.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueLimits {
    /// Rate of each job type without its own rate. Only on `/v1/limits`, for `workflow-node`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_type_rate: Option<Json>,
    /// Maximum number of concurrent jobs; null is unlimited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// Total number of overrides; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_count: Option<i32>,
    /// The values set for individual tenants, workflows and job types, at most 100. Only in `GET /v1/limits`; absent if there
    /// are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Vec<OwnLimit>>,
    /// Starts per period; absent if there is no rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Json>,
    /// `override`, `definition` or `default`; absent if there is no rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_source: Option<String>,
    /// `override`, `definition`, `default` or `settings`.
    pub source: String,
    /// Limit of each tenant without its own limit. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_max_concurrent: Option<i32>,
    /// Rate of each tenant without its own rate. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_rate: Option<Json>,
    /// `tenantSource`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_source: Option<String>,
    /// Limit of each workflow without its own limit. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_max_concurrent: Option<i32>,
    /// Rate of each workflow without its own rate. Only on `/v1/limits`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_rate: Option<Json>,
    /// `workflowSource`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow_source: Option<String>,
}

open_enum! {
    /// QueueName
    pub enum QueueName {
        /// `workflow-execution`.
        WorkflowExecution = "workflow-execution",
        /// `workflow-node`.
        WorkflowNode = "workflow-node",
        /// `workflow-scheduled`.
        WorkflowScheduled = "workflow-scheduled",
        /// `workflow-webhook`.
        WorkflowWebhook = "workflow-webhook",
    }
}

/// How long finished jobs of a queue are kept.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueRetention {
    /// Cancelled jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<String>,
    /// Completed jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed: Option<String>,
    /// Failed jobs, and jobs of resolved dead letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Data and results; null: as long as the jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payloads: Option<String>,
}

/// Retention times of a queue to change.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueRetentionRequest {
    /// `cancelled`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<String>,
    /// `completed`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed: Option<String>,
    /// `failed`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// `payloads`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payloads: Option<String>,
}

/// An accepted delivery.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReceivedDelivery {
    /// True for a duplicate, which starts no workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deduplicated: Option<bool>,
    /// Delivery ID; for a duplicate, the ID of the first delivery.
    pub delivery_id: String,
    /// `held` if the endpoint is paused or over its rate limit: the delivery is stored and matched later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<DeliveryStatus>,
}

/// A rejected delivery.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RefusedDelivery {
    /// With `quota_exceeded`: what makes room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Stable code: `signature`, `unknown`, `malformed`, `header_too_large`, `challenge`, `method`, `encoding`,
    /// `rate_limited`, `too_large`, `paused`, `quota_exceeded`, `unavailable`.
    pub error: String,
    /// With `quota_exceeded`: the quota `deliveryBytes` of the tenant, or the setting `webhooks.stored_per_webhook` or
    /// `webhooks.stored`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota: Option<String>,
}
