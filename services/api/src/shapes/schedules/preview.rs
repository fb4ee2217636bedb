//! What an expression, or a schedule, will do.

use domain::schedule::Preview;
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::json::present;

/// An expression to preview.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PreviewRequest)]
pub(crate) struct PreviewBody {
    /// The cron expression.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, example = "30 2 * * *")]
    pub(crate) cron: Option<String>,
    /// IANA time zone (default `UTC`).
    #[schema(example = "Europe/Berlin")]
    pub(crate) timezone: Option<String>,
    /// The instant after which to look; now where absent.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) from: Option<Timestamp>,
    /// How many slots, 1 to 1000; 5 where absent.
    pub(crate) count: Option<usize>,
}

/// What is to come.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Preview)]
pub(crate) struct PreviewResponse {
    /// The expression in words.
    #[schema(example = "At 02:30 every day")]
    description: String,
    /// The next slots.
    #[schema(value_type = Vec<String>)]
    next: Vec<Timestamp>,
    /// What changes of the clock do to slots to come.
    #[schema(example = json!(["29 March 02:30 does not exist: runs at 03:00"]))]
    notes: Vec<String>,
}

impl From<Preview> for PreviewResponse {
    fn from(preview: Preview) -> Self {
        Self { description: preview.description, next: preview.next, notes: preview.notes }
    }
}
