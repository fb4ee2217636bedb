//! Models of servers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// A process of the deployment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Server {
    /// How far the clock of its machine is ahead of the database's, in milliseconds.
    pub clock_offset_ms: i64,
    /// `id`.
    pub id: String,
    /// `lastSeenAt`.
    pub last_seen_at: Timestamp,
    /// `roles`.
    pub roles: Vec<String>,
    /// `startedAt`.
    pub started_at: Timestamp,
    /// `version`.
    pub version: String,
}
