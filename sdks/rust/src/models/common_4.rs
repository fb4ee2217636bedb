//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Fault, LogLevel, QueueRetention, QueueRetentionRequest, WhyReason};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

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

/// A stored log line.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StoredLogLine {
    /// `at`.
    pub at: Timestamp,
    /// The attempt, from 1.
    pub attempt: i32,
    /// Structured fields: an object. Absent for callers that may not see payloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<BTreeMap<String, Json>>,
    /// `jobId`.
    pub job_id: String,
    /// `level`.
    pub level: LogLevel,
    /// Number of the line in its attempt, from 1.
    pub line: i32,
    /// Absent for callers that may not see payloads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// `nodeId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
}

/// Limits the number of starts in any period. Further starts are delayed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Throttle {
    /// Key of the starts that are counted together, with `${…}` expressions (default: all starts of the trigger).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Starts per period.
    pub rate: Json,
}

open_enum! {
    /// TimelineEventKind
    pub enum TimelineEventKind {
        /// `execution_started`.
        ExecutionStarted = "execution_started",
        /// `execution_retried`.
        ExecutionRetried = "execution_retried",
        /// `execution_compensating`.
        ExecutionCompensating = "execution_compensating",
        /// `execution_completed`.
        ExecutionCompleted = "execution_completed",
        /// `execution_failed`.
        ExecutionFailed = "execution_failed",
        /// `execution_cancelled`.
        ExecutionCancelled = "execution_cancelled",
        /// `node_started`.
        NodeStarted = "node_started",
        /// `node_waiting`.
        NodeWaiting = "node_waiting",
        /// `node_repeated`.
        NodeRepeated = "node_repeated",
        /// `node_requeued`.
        NodeRequeued = "node_requeued",
        /// `node_completed`.
        NodeCompleted = "node_completed",
        /// `node_skipped`.
        NodeSkipped = "node_skipped",
        /// `node_failed`.
        NodeFailed = "node_failed",
        /// `node_child_failed`.
        NodeChildFailed = "node_child_failed",
        /// `node_cancelled`.
        NodeCancelled = "node_cancelled",
        /// `node_compensated`.
        NodeCompensated = "node_compensated",
        /// `compensation_failed`.
        CompensationFailed = "compensation_failed",
        /// `signal_received`.
        SignalReceived = "signal_received",
        /// `user_task_escalated`.
        UserTaskEscalated = "user_task_escalated",
    }
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

/// Why a job is not running.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Why {
    /// Earliest instant at which the rate can admit the job: a lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_start_at: Option<Timestamp>,
    /// Explanation.
    pub detail: String,
    /// What allows the job to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frees_when: Option<String>,
    /// Jobs that use the limit, at most ten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holders: Option<Vec<String>>,
    /// The exhausted limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<i32>,
    /// Number of jobs ahead in the same lane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<i64>,
    /// The rate that the job waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Json>,
    /// `reason`.
    pub reason: WhyReason,
    /// Current usage of the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<i32>,
}
