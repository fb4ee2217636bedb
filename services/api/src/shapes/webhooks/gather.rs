//! Debounce, throttle and batch of a trigger in the OpenAPI document. The domain reads and writes them itself.

use serde::Serialize;
use utoipa::ToSchema;

use crate::shapes::limits::RateDocument;

/// One execution, with the input of the last event, once no event came for a period.
#[derive(Serialize, ToSchema)]
#[schema(as = Debounce)]
pub(crate) struct DebounceDocument {
    /// Period without an event after which the execution starts, up to 30d.
    #[schema(example = "10s")]
    period: String,
    /// Key of the events that belong together, with `${…}` expressions (default: all events of the trigger).
    #[schema(example = "${body.id}")]
    key: Option<String>,
    /// Longest wait after the first event (default: 10 periods).
    #[schema(example = "1m")]
    timeout: Option<String>,
}

/// Number of starts in any period. Further starts wait their turn.
#[derive(Serialize, ToSchema)]
#[schema(as = Throttle)]
pub(crate) struct ThrottleDocument {
    /// Starts per period.
    rate: RateDocument,
    /// Key of the starts that are counted together, with `${…}` expressions (default: all starts of the trigger).
    #[schema(example = "${body.customer}")]
    key: Option<String>,
}

/// One execution for several events.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BatchOfEvents)]
pub(crate) struct BatchDocument {
    /// Number of events after which the execution starts.
    #[schema(minimum = 1, maximum = 1_000)]
    max_size: u32,
    /// Longest wait after the first event, up to 30d.
    #[schema(example = "10s")]
    timeout: String,
    /// Key of the events that belong together, with `${…}` expressions (default: all events of the trigger).
    key: Option<String>,
}
