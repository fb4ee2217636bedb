//! Models of batches. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::json::Json;
use crate::timestamp::Timestamp;

/// A bulk operation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Batch {
    /// Who started it.
    pub actor: String,
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Number of changed objects.
    pub done: i64,
    /// Number of changed objects of which what they started ended badly.
    pub ended_badly: i64,
    /// Number of objects that could not be changed.
    pub failed: i64,
    /// `finishedAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// `id`.
    pub id: String,
    /// What it does, such as `dead_letters.requeue`.
    pub kind: String,
    /// Number of changed objects whose outcome is not known yet.
    pub pending: i64,
    /// `reason`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What it was asked.
    pub request: Json,
    /// Number of objects that were not there or did not match any more.
    pub skipped: i64,
    /// `preparing`, `running`, `paused`, `completed`, `aborted` or `failed`.
    pub status: String,
    /// Why: `canary`, `operator`, `failure_rate` or `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_reason: Option<String>,
    /// `tenant`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Number of objects. It grows while the operation is `preparing`.
    pub total: i64,
    /// `updatedAt`.
    pub updated_at: Timestamp,
}

/// An object of a bulk operation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BatchItem {
    /// `at`.
    pub at: Timestamp,
    /// Why it was not changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `id`.
    pub id: String,
    /// `done`, `failed` or `skipped`.
    pub outcome: String,
    /// Job, execution or delivery that the change made or started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_id: Option<String>,
}
