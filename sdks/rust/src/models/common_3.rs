//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Fault, LogLevel};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

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
    /// Starts per period; absent where there is no rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Json>,
    /// `override`, `definition` or `default`; absent where there is no rate.
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
    /// Failed jobs, and those of resolved dead letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// Data and results; null: as long as the jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payloads: Option<String>,
}

/// Times of a queue to change.
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
    /// Delivery ID; for a duplicate, that of the first delivery.
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

/// How long finished things are kept.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Retention {
    /// Resolved alerts; not of a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alerts: Option<String>,
    /// Requeued and archived dead letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// The audit log; not of a tenant.
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
    /// What applies: times that were set over the API are rounded up.
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

/// Values for each kind of thing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RetentionTimes {
    /// Resolved alerts; not of a tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alerts: Option<String>,
    /// Requeued and archived dead letters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// The audit log; not of a tenant.
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

/// A stored log line.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StoredLogLine {
    /// `at`.
    pub at: Timestamp,
    /// The attempt, from 1.
    pub attempt: i32,
    /// Structured fields: an object. Absent for callers that see no payloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<BTreeMap<String, Json>>,
    /// `jobId`.
    pub job_id: String,
    /// `level`.
    pub level: LogLevel,
    /// Number of the line in its attempt, from 1.
    pub line: i32,
    /// Absent for callers that see no payloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// `nodeId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
}

/// Number of starts in any period. Further starts wait their turn.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Throttle {
    /// Key of the starts that are counted together, with `${…}` expressions (default: all starts of the trigger).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Starts per period.
    pub rate: Json,
}

/// A valid definition that was not registered.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValidatedWorkflow {
    /// SHA-256 (hex) of the definition as JSON with sorted keys.
    pub content_hash: String,
    /// `name`.
    pub name: String,
    /// Always true; an invalid definition returns status 422.
    pub valid: bool,
    /// `version`.
    pub version: i32,
    /// Warnings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<Fault>>,
}
