//! Moves of the store to another database.

use domain::time::Timestamp;
use engine::{MoveRequest, MoveView, SecretText};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Target database of a move.
// No `Debug`: it would print the password.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = MoveRequest)]
pub(crate) struct MoveBody {
    /// Address of an empty PostgreSQL database, with credentials; never shown again.
    #[serde(default)]
    #[schema(required = true, write_only, example = "postgres://trunkline@db.internal/trunkline")]
    to: String,
    /// Schema of its tables.
    #[serde(default = "default_schema")]
    schema: String,
}

fn default_schema() -> String {
    "public".to_owned()
}

impl MoveBody {
    /// The request.
    pub(crate) fn into_request(self) -> MoveRequest {
        MoveRequest { url: SecretText::new(self.to), schema: self.schema }
    }
}

/// A move of the store.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Move)]
pub(crate) struct MoveResponse {
    id: String,
    /// `copying` (work continues), `finishing` (work is paused), `done` or `failed` (work continues on the old database).
    #[schema(value_type = String, example = "copying")]
    phase: &'static str,
    /// New database, without credentials.
    #[schema(example = "postgres://db.internal/trunkline")]
    to: String,
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    /// Rows of the database when the move started; 0 until they are counted.
    rows_total: u64,
    /// Rows copied while work continued; rows that changed meanwhile count again.
    rows_copied: u64,
    /// Rows copied while work was paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_left: Option<u64>,
    /// How long work was paused, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    paused_ms: Option<i64>,
    /// Why the move failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<MoveView> for MoveResponse {
    fn from(view: MoveView) -> Self {
        Self {
            id: view.id.to_string(),
            phase: view.phase.as_str(),
            to: view.to,
            started_at: view.started_at,
            rows_total: view.rows_total,
            rows_copied: view.rows_copied,
            rows_left: view.rows_left,
            paused_ms: view.paused_for.map(|paused| paused.0),
            error: view.error,
        }
    }
}
