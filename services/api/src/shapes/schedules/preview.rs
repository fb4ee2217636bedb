//! What an expression, or a schedule, will do.

use domain::schedule::Preview;
use domain::time::{DurationMs, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A cron expression or an interval to preview.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = PreviewRequest)]
pub(crate) struct PreviewBody {
    /// The cron expression. Required without `every`.
    #[schema(example = "30 2 * * *")]
    pub(crate) cron: Option<String>,
    /// Interval between fires, at least `10s`, instead of `cron`.
    #[schema(value_type = Option<String>, example = "90s")]
    pub(crate) every: Option<DurationMs>,
    /// First fire of the interval (default: now).
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) anchor: Option<Timestamp>,
    /// IANA time zone (default `UTC`).
    #[schema(example = "Europe/Berlin")]
    pub(crate) timezone: Option<String>,
    /// Start of the preview, exclusive (default: now).
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) from: Option<Timestamp>,
    /// Number of fires, 1 to 1000 (default 5).
    pub(crate) count: Option<usize>,
}

/// A preview of the next fires.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Preview)]
pub(crate) struct PreviewResponse {
    /// Description of the expression in words.
    #[schema(example = "At 02:30 every day")]
    description: String,
    /// The next fire times.
    #[schema(value_type = Vec<String>)]
    next: Vec<Timestamp>,
    /// Effects of clock changes on these fire times.
    #[schema(example = json!(["29 March 02:30 does not exist: runs at 03:00"]))]
    notes: Vec<String>,
}

impl From<Preview> for PreviewResponse {
    fn from(preview: Preview) -> Self {
        Self { description: preview.description, next: preview.next, notes: preview.notes }
    }
}
