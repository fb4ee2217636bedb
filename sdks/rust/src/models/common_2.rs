//! Models of common. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::DeliveryTriggerError;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// The result of a trigger.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveryTriggerOutcome {
    /// `error`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<DeliveryTriggerError>,
    /// `executionId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// `started`, `no_match` or `error`.
    pub result: String,
    /// `triggerId`.
    pub trigger_id: String,
    /// `workflow`.
    pub workflow: String,
}

/// Why an execution failed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionError {
    /// `code`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// `message`.
    pub message: String,
    /// ID of the failed node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

/// One error of an invalid request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Fault {
    /// With `query_invalid`: how many code points are wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<i32>,
    /// What is wrong and what is expected.
    pub message: String,
    /// JSON pointer into the body, or `/` and the name of the query parameter.
    pub pointer: String,
    /// With `query_invalid`: where the fault begins in the query, in code points from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<i32>,
}

/// Server status.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Health {
    /// Since when this server does not reach Kafka, if it publishes jobs there. Jobs wait in the database meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker_away_since: Option<Timestamp>,
    /// `ok` or `ready`.
    pub status: String,
}

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
    /// Starts per period: `"100/1m"`, at most so many in any such period, or a bucket of tokens that refills evenly.
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

/// How many objects match.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ListCount {
    /// Whether there are no more than `value`. False: there are at least as many, or counting would take too long.
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
