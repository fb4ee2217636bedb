//! Models of workflows. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ExecutionError, ExecutionStatus, Fault, JobError, NodeStatus, TimelineEventKind};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// An event to deliver.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MockEvent {
    /// Time after the start at which it is delivered (default: as soon as a node waits for it).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
    /// Event name.
    pub name: String,
}

/// How one round of a node ends, after its retries: exactly one of `output`, `error` and `timesOut`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MockResult {
    /// Duration of the round (default: zero).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Error: an object, or just a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
    /// What the handler or child returns, the person submits, or the signal or callback carries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Whether the node's timeout ends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times_out: Option<bool>,
}

/// A signal to send.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MockSignal {
    /// Time after the start at which it is sent (default: as soon as a node waits for it).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Signal name.
    pub name: String,
    /// Payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Json>,
}

open_enum! {
    /// Policy for new executions of a paused workflow.
    pub enum NewRuns {
        /// `queue`.
        Queue = "queue",
        /// `refuse`.
        Refuse = "refuse",
    }
}

/// Options of a pause.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PauseRequest {
    /// Policy for new executions (default `queue`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_runs: Option<NewRuns>,
}

/// The response to a registration.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RegisteredWorkflow {
    /// SHA-256 (hex) of the definition as JSON with sorted keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// `createdAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Definition. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<Json>,
    /// `limits.maxConcurrent` of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// `name`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Policy for new executions while the workflow is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_runs: Option<NewRuns>,
    /// Whether the workflow is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Location of each node in the program that the version was compiled from, by node ID. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<BTreeMap<String, SourcePlace>>,
    /// Tenant that owns the workflow; absent for a shared workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// `version`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Warnings. Only in the response to a registration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<Fault>>,
    /// Always true; an invalid definition returns status 422.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<bool>,
}

/// A timeline entry of a simulated execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SimulatedEvent {
    /// `at`.
    pub at: Timestamp,
    /// Additional message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Stable code of the event.
    pub kind: TimelineEventKind,
    /// `nodeId`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
}

/// A round of a node of a simulated execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SimulatedNode {
    /// `error`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
    /// `finishedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// Input that its handler, child execution or person receives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// Node ID; a compensation is `charge:compensate`, an item of a `MAP` is `notify\[17\]`.
    pub node_id: String,
    /// `output`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Number of times that the node had been started.
    pub round: i32,
    /// `startedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// `status`.
    pub status: NodeStatus,
}

/// Something that a simulated execution waits for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SimulatedWait {
    /// `result`, `child`, `signal`, `user_task`, `callback` or `event`.
    pub awaits: String,
    /// Node ID; provide its result under this key.
    pub node_id: String,
    /// Name of the signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

/// The state in which a simulated execution ended or waits.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Simulation {
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ExecutionError>,
    /// Each round of each node: first rounds that ended, in order, then rounds that wait or never started.
    pub nodes: Vec<SimulatedNode>,
    /// The simulated time at that point.
    pub now: Timestamp,
    /// Output, if it completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Status of the execution: `COMPLETED`, `FAILED` or `CANCELLED`; `RUNNING` or `COMPENSATING` if it waits.
    pub status: ExecutionStatus,
    /// The timeline.
    pub timeline: Vec<SimulatedEvent>,
    /// What it waits for; empty if it ended.
    pub waiting_for: Vec<SimulatedWait>,
}

/// A simulation: a definition or a registered workflow, and what its nodes return.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SimulationRequest {
    /// The definition: an object, or its YAML as a string. It need not be registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<Json>,
    /// Events to deliver. An event ends the wait of every node that it matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<MockEvent>>,
    /// Input, validated against the workflow's schema (default: an empty object).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// Start time of the run (default: now).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<Timestamp>,
    /// Results by node ID, one for each round of the node, in order. Results of a `MAP` apply to its items; a single
    /// item is `notify\[3\]`, a compensation is `charge:compensate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<BTreeMap<String, Vec<MockResult>>>,
    /// Signals to send.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signals: Option<Vec<MockSignal>>,
    /// Tenant of the registered workflow (default: the key's tenant, or `default`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Version of the registered workflow (default: the latest).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Name of a registered workflow, instead of a definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
}

/// The location of a node in a program.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourcePlace {
    /// Column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<i32>,
    /// Path of the file.
    pub file: String,
    /// Line, from 1.
    pub line: i32,
}

/// Source places of a version.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceRequest {
    /// Places by node ID.
    pub nodes: BTreeMap<String, SourcePlace>,
}

/// One version of a workflow.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Workflow {
    /// SHA-256 (hex) of the definition as JSON with sorted keys.
    pub content_hash: String,
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Definition. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<Json>,
    /// `limits.maxConcurrent` of the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrent: Option<i32>,
    /// `name`.
    pub name: String,
    /// Policy for new executions while the workflow is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_runs: Option<NewRuns>,
    /// Whether the workflow is paused.
    pub paused: bool,
    /// Location of each node in the program that the version was compiled from, by node ID. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<BTreeMap<String, SourcePlace>>,
    /// Tenant that owns the workflow; absent for a shared workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// `version`.
    pub version: i32,
    /// Warnings. Only in the response to a registration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<Fault>>,
}

/// The mode of a workflow.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WorkflowMode {
    /// `name`.
    pub name: String,
    /// Policy for new executions while the workflow is paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_runs: Option<NewRuns>,
    /// Whether the workflow is paused.
    pub paused: bool,
}
