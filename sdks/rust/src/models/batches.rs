//! Models of batches. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

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
    /// `outcome`.
    pub outcome: BatchItemOutcome,
    /// Job, execution or delivery that the change made or started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_id: Option<String>,
}

open_enum! {
    /// BatchItemOutcome
    pub enum BatchItemOutcome {
        /// `done`.
        Done = "done",
        /// `failed`.
        Failed = "failed",
        /// `skipped`.
        Skipped = "skipped",
    }
}
