//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::{Fault, OwnLimit};
use crate::json::Json;
use crate::open_enum::open_enum;

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
    pub status: Option<String>,
}

/// A rejected delivery.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RefusedDelivery {
    /// Stable code: `signature`, `unknown`, `malformed`, `header_too_large`, `challenge`, `method`, `encoding`,
    /// `rate_limited`, `too_large`, `paused`, `unavailable`.
    pub error: String,
}

/// How long finished objects are kept.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Retention {
    /// Resolved alerts. Cannot be set for a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alerts: Option<String>,
    /// Requeued and archived dead letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// The audit log. Cannot be set for a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// Webhook deliveries and events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliveries: Option<String>,
    /// Bodies of deliveries; null: as long as the deliveries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_bodies: Option<String>,
    /// Inputs and outputs of finished executions and their nodes; null: as long as the executions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_payloads: Option<String>,
    /// Finished executions with their nodes and timelines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<String>,
    /// `workflow-execution`.
    #[serde(rename = "workflow-execution")]
    pub workflow_execution: QueueRetention,
    /// `workflow-node`.
    #[serde(rename = "workflow-node")]
    pub workflow_node: QueueRetention,
    /// `workflow-scheduled`.
    #[serde(rename = "workflow-scheduled")]
    pub workflow_scheduled: QueueRetention,
    /// `workflow-webhook`.
    #[serde(rename = "workflow-webhook")]
    pub workflow_webhook: QueueRetention,
    /// The effective times: times set through the API are rounded up.
    pub effective: RetentionTimes,
    /// Where each value comes from: `settings`, `deployment` or `tenant`.
    pub source: RetentionTimes,
}

/// Times to change: a duration, or null for the default.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetentionRequest {
    /// `alerts`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alerts: Option<String>,
    /// `archive`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// `audit`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// `deliveries`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliveries: Option<String>,
    /// `deliveryBodies`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_bodies: Option<String>,
    /// `executionPayloads`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_payloads: Option<String>,
    /// `executions`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<String>,
    /// `workflow-execution`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "workflow-execution")]
    pub workflow_execution: Option<QueueRetentionRequest>,
    /// `workflow-node`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "workflow-node")]
    pub workflow_node: Option<QueueRetentionRequest>,
    /// `workflow-scheduled`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "workflow-scheduled")]
    pub workflow_scheduled: Option<QueueRetentionRequest>,
    /// `workflow-webhook`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "workflow-webhook")]
    pub workflow_webhook: Option<QueueRetentionRequest>,
}

/// Times for each kind of object.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetentionTimes {
    /// Resolved alerts. Cannot be set for a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alerts: Option<String>,
    /// Requeued and archived dead letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// The audit log. Cannot be set for a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// Webhook deliveries and events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliveries: Option<String>,
    /// Bodies of deliveries; null: as long as the deliveries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_bodies: Option<String>,
    /// Inputs and outputs of finished executions and their nodes; null: as long as the executions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_payloads: Option<String>,
    /// Finished executions with their nodes and timelines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions: Option<String>,
    /// `workflow-execution`.
    #[serde(rename = "workflow-execution")]
    pub workflow_execution: QueueRetention,
    /// `workflow-node`.
    #[serde(rename = "workflow-node")]
    pub workflow_node: QueueRetention,
    /// `workflow-scheduled`.
    #[serde(rename = "workflow-scheduled")]
    pub workflow_scheduled: QueueRetention,
    /// `workflow-webhook`.
    #[serde(rename = "workflow-webhook")]
    pub workflow_webhook: QueueRetention,
}

open_enum! {
    /// Role
    pub enum Role {
        /// `admin`.
        Admin = "admin",
        /// `operator`.
        Operator = "operator",
        /// `client`.
        Client = "client",
        /// `worker`.
        Worker = "worker",
        /// `viewer`.
        Viewer = "viewer",
    }
}
