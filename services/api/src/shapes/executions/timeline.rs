//! The timeline of an execution.

use domain::time::Timestamp;
use serde::Serialize;
use store::executions::EventRecord;
use utoipa::ToSchema;

/// A timeline entry of an execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TimelineEvent)]
pub(crate) struct TimelineResponse {
    position: i64,
    /// Stable code of the event.
    #[schema(example = "node_completed")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    /// Additional message.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

impl From<EventRecord> for TimelineResponse {
    fn from(event: EventRecord) -> Self {
        Self {
            position: event.position,
            kind: event.line.kind,
            node_id: event.line.node_id.map(|node| node.to_string()),
            detail: event.line.detail,
            at: event.line.at,
        }
    }
}
