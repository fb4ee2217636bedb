//! Models of executions. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    BulkCanary, BulkFilter, ExecutionError, ExecutionStatus, NodeStatus, OmittedPayload, Parent, Priority,
    Problem, StartSignal, TimelineEventKind, Trigger, UniquePolicy,
};
use crate::json::Json;
use crate::timestamp::Timestamp;

/// The result of one item.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BatchResultCreatedExecution {
    /// Position of the signal, for `GET /v1/commands/{position}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_position: Option<i64>,
    /// True if it already exists; absent for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing: Option<bool>,
    /// `id`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its job on `workflow-execution`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// Queue position of the job: lower positions of a lane are processed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<i64>,
    /// The execution that was cancelled for this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// `status`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ExecutionStatus>,
    /// The error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

/// Executions to cancel.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkCancelRequest {
    /// Confirms an empty filter, which matches everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all: Option<bool>,
    /// Canary: objects that are changed first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary: Option<BulkCanary>,
    /// Whether completed nodes are compensated first (default false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compensate: Option<bool>,
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

/// Executions to rerun.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BulkRerunRequest {
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
    /// Node from which the new executions run. Required.
    pub from_node: String,
    /// IDs of the objects, at most 10,000, instead of a filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<String>>,
    /// Input of the new executions (default: the input of each original execution).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
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

/// Options of a cancellation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CancelRequest {
    /// Whether completed nodes are compensated first (default false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compensate: Option<bool>,
    /// Reason, recorded in the timeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A stored command.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandAccepted {
    /// Position of the command; its status is at `/v1/commands/{position}`.
    pub command_position: i64,
}

/// An accepted execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CreatedExecution {
    /// Position of the signal, for `GET /v1/commands/{position}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_position: Option<i64>,
    /// True if it already exists; absent for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing: Option<bool>,
    /// `id`.
    pub id: String,
    /// Its job on `workflow-execution`.
    pub job_id: String,
    /// Queue position of the job: lower positions of a lane are processed first.
    pub position: i64,
    /// The execution that was cancelled for this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// `status`.
    pub status: ExecutionStatus,
}

/// An execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Execution {
    /// Searchable attributes by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<BTreeMap<String, Json>>,
    /// `completedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Timestamp>,
    /// `correlationId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// `createdAt`.
    pub created_at: Timestamp,
    /// `error`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ExecutionError>,
    /// Fingerprint of the most recent dead letter among its jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// `id`.
    pub id: String,
    /// Input. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// `jobId`.
    pub job_id: String,
    /// Payloads larger than `maxPayload`, which are null here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Vec<OmittedPayload>>,
    /// Output, once the status is `COMPLETED`. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Parent execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// When retention dropped the input and output of the execution and its nodes, which are null from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload_dropped_at: Option<Timestamp>,
    /// `priority`.
    pub priority: Priority,
    /// `startedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// `status`.
    pub status: ExecutionStatus,
    /// `tags`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// `tenant`.
    pub tenant: String,
    /// `traceparent`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// `trigger`.
    pub trigger: Trigger,
    /// Unique key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_key: Option<String>,
    /// `version`.
    pub version: i32,
    /// `workflow`.
    pub workflow: String,
}

/// Executions to start in one commit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionBatch {
    /// The executions, at most 10,000.
    pub executions: Vec<ExecutionRequest>,
    /// Whether valid executions are accepted even if others are invalid (default false: atomic).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<bool>,
}

/// An execution to start.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionRequest {
    /// Searchable attributes by name: values of their declared types, or lists of at most 16 values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attributes: Option<BTreeMap<String, Json>>,
    /// Correlation ID chosen by the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// Delay before the earliest start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// Maximum wait for the start, counted from when the execution may start (default: the workflow's). An execution
    /// that has not started by then is cancelled with the error code `expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<String>,
    /// Input, validated against the workflow's schema (default: an empty object).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// Priority (default `high`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Earliest start time. Mutually exclusive with `delay`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_at: Option<Timestamp>,
    /// Signal for the open execution with the key, or for the new one. Requires `uniqueKey` and the policy `join`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<StartSignal>,
    /// Tags for filtering.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// Tenant (default: the key's tenant, or `default`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// W3C trace context passed to workers. Overrides the `traceparent` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// Unique key of the execution within its tenant and workflow while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_key: Option<String>,
    /// What happens while an execution with the key is open: `join` (default), `reject`, `replace` or `queue`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique_policy: Option<UniquePolicy>,
    /// Workflow version (default: the latest).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Workflow name.
    pub workflow: String,
}

/// The status of an execution and its nodes after an entry of its timeline.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionState {
    /// `at`.
    pub at: Timestamp,
    /// Code of the entry.
    pub kind: TimelineEventKind,
    /// Node that the entry is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// Status of each node that has started or ended, by ID; compensations as `charge:compensate`.
    pub nodes: BTreeMap<String, NodeStatus>,
    /// Position of the entry.
    pub position: i64,
    /// Status of the execution after the entry.
    pub status: ExecutionStatus,
}
