//! Models of executions. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::{ExecutionStatus, JobError, NodeStatus, OmittedPayload, TimelineEventKind, Why, WhyReason};
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// What an execution is waiting for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ExecutionWhy {
    /// Explanation.
    pub detail: String,
    /// Why its own job is not running, if the execution waits for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<Why>,
    /// `finished`, `waiting` (see `waitsFor`), `running`, or the reason why its own job is not running,
    /// such as `limit_workflow`.
    pub reason: WhyReason,
    /// `status`.
    pub status: ExecutionStatus,
    /// What its nodes wait for, in definition order, at most 100.
    pub waits_for: Vec<NodeWait>,
}

/// Progress of a `MAP`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MapItems {
    /// Number of completed items, including collected failures.
    pub completed: i32,
    /// Number of started items.
    pub started: i32,
    /// Number of items.
    pub total: i32,
}

/// A node of an execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Node {
    /// Number of attempts so far.
    pub attempts: i32,
    /// One-time callback URL of a `WAIT_WEBHOOK` node until it is used. Hidden from read-only keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callback_url: Option<String>,
    /// `error`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
    /// `finishedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// `input`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// Progress of a `MAP`, once it has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub map_items: Option<MapItems>,
    /// Node ID; a compensation is `charge:compensate`, an item of a `MAP` is `notify\[17\]`.
    pub node_id: String,
    /// Payloads larger than `maxPayload`, which are null here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Vec<OmittedPayload>>,
    /// `output`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// `startedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// `status`.
    pub status: NodeStatus,
    /// Node type, such as `SERVICE_TASK`, `TIMER` or `MAP`.
    pub r#type: String,
    /// What the node waits for, while it is `WAITING`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<NodeWait>,
}

/// What a node waits for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeWait {
    /// Explanation.
    pub detail: String,
    /// Child execution that the node waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// Why the job is not running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<Why>,
    /// Its job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// The node, the item of a `MAP` as `notify\[17\]`, or a compensation as `charge:compensate`.
    pub node_id: String,
    /// `timer`, `signal`, `user_task`, `child`, `callback`, `event`, `delay`, `job_queued`, `job_running` or `retry_wait`.
    pub reason: String,
    /// Node type, such as `TIMER`.
    pub r#type: String,
    /// Time of the next event: the timer fires, the wait times out, or the job is retried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// The parent of an execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Parent {
    /// `executionId`.
    pub execution_id: String,
    /// Node that started the execution, or the item of a `MAP` such as `book\[3\]`.
    pub node_id: String,
}

/// Options of a rerun.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RerunRequest {
    /// Whether a failed rerun also compensates nodes whose results it reused (default false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compensate_original: Option<bool>,
    /// Node to rerun from. It and all nodes after it run again; results of the others are reused.
    pub from_node: String,
    /// New input (default: the input of the original execution).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
}

/// A signal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SignalRequest {
    /// Payload (default null). It becomes the output of the node that receives the signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Json>,
}

/// A signal to send with the start of an execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StartSignal {
    /// Signal name.
    pub name: String,
    /// Payload (default: null).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Json>,
}

/// A timeline entry of an execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TimelineEvent {
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
    /// `position`.
    pub position: i64,
}

/// What started an execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Trigger {
    /// `user`, `schedule`, `webhook`, `event` or `parent`.
    pub kind: String,
}

open_enum! {
    /// UniquePolicy
    pub enum UniquePolicy {
        /// `join`.
        Join = "join",
        /// `reject`.
        Reject = "reject",
        /// `replace`.
        Replace = "replace",
        /// `queue`.
        Queue = "queue",
    }
}

/// The output of a user task.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserTaskCompletion {
    /// Validated against the task's form (default null). It becomes the output of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Json>,
    /// Round of the node (default: the latest).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<i32>,
}
