//! Models of dev. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// The time of a development server.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DevTime {
    /// Current time.
    pub now: Timestamp,
    /// Whether time skips forward automatically while no work is in progress.
    pub skip: bool,
    /// Number of executions that schedules started during the call.
    pub started: i32,
}

/// A change of the time of a development server.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TimeMoveRequest {
    /// How far to advance the time, through all timers, retries and schedules in between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advance: Option<String>,
    /// Whether time skips forward automatically from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip: Option<bool>,
}
