//! Models of user tasks. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::OmittedPayload;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// A user task.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserTask {
    /// Assignee.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assignee: Option<String>,
    /// When it was claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_at: Option<Timestamp>,
    /// User who has claimed the task, or the ID of an API key without a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// When the task was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// ID of the API key that completed the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_by: Option<String>,
    /// Due time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// When the task was escalated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalated_at: Option<Timestamp>,
    /// `executionId`.
    pub execution_id: String,
    /// JSON Schema of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Json>,
    /// Candidate group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Input of the task, shown to the user. Lists omit inputs above 4 KiB; read the task instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// `nodeId`.
    pub node_id: String,
    /// The input, if it is larger than `maxPayload` and therefore null here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<Vec<OmittedPayload>>,
    /// `openedAt`.
    pub opened_at: Timestamp,
    /// Round of the node, from 1; a retry or a `repeat` creates a new task.
    pub round: i32,
    /// `status`.
    pub status: UserTaskStatus,
    /// `tenant`.
    pub tenant: String,
    /// `workflow`.
    pub workflow: String,
}

/// Round of a user task.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserTaskRound {
    /// Round of the node (default: the latest).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<i32>,
}

open_enum! {
    /// UserTaskStatus
    pub enum UserTaskStatus {
        /// `open`.
        Open = "open",
        /// `completed`.
        Completed = "completed",
        /// `timed_out`.
        TimedOut = "timed_out",
        /// `cancelled`.
        Cancelled = "cancelled",
    }
}
