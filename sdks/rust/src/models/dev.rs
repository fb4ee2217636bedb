//! Models of dev. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// The time of a development server.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DevTime {
    /// Present instant.
    pub now: Timestamp,
    /// Whether time jumps by itself while nothing is under way.
    pub skip: bool,
    /// Number of executions that schedules started meanwhile.
    pub started: i32,
}

/// How to move the time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TimeMoveRequest {
    /// How far to move it on, through all timers, retries and schedules that lie between.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advance: Option<String>,
    /// Whether time jumps by itself from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip: Option<bool>,
}
