//! Models of commands. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;

/// A command to an execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Command {
    /// `executionId`.
    pub execution_id: String,
    /// Kind of command, such as `cancel` or `retry`.
    pub intent: String,
    /// `position`.
    pub position: i64,
    /// Reason for refusing the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `status`.
    pub status: CommandStatus,
    /// Step of the execution that applied or refused the command, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<i64>,
}

open_enum! {
    /// CommandStatus
    pub enum CommandStatus {
        /// `pending`.
        Pending = "pending",
        /// `applied`.
        Applied = "applied",
        /// `refused`.
        Refused = "refused",
    }
}
