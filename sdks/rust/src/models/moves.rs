//! Models of moves. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// A move of the store.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Move {
    /// Why the move failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `id`.
    pub id: String,
    /// How long work was paused, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_ms: Option<i64>,
    /// `copying` (work continues), `finishing` (work is paused), `done` or `failed` (work continues on the old database).
    pub phase: String,
    /// Rows copied while work continued; rows that changed meanwhile count again.
    pub rows_copied: i64,
    /// Rows copied while work was paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_left: Option<i64>,
    /// Rows of the database when the move started; 0 until they are counted.
    pub rows_total: i64,
    /// `startedAt`.
    pub started_at: Timestamp,
    /// New database, without credentials.
    pub to: String,
}

/// Target database of a move.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct MoveRequest {
    /// Schema of its tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Address of an empty PostgreSQL database, with credentials; never shown again.
    pub to: String,
}
