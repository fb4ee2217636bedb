//! The states that an execution went through.

use std::collections::BTreeMap;

use domain::time::Timestamp;
use engine::StateLine;
use serde::Serialize;
use utoipa::ToSchema;

use crate::shapes::words::{ExecutionStatusSchema, NodeStatusSchema, TimelineEventKindSchema};

/// The status of an execution and its nodes after an entry of its timeline.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExecutionState)]
pub(crate) struct StateResponse {
    /// Position of the entry.
    position: i64,
    /// Code of the entry.
    #[schema(value_type = TimelineEventKindSchema)]
    kind: String,
    /// Node that the entry is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// Status of the execution after the entry.
    #[schema(value_type = ExecutionStatusSchema)]
    status: &'static str,
    /// Status of each node that has started or ended, by ID; compensations as `charge:compensate`.
    #[schema(value_type = BTreeMap<String, NodeStatusSchema>)]
    nodes: BTreeMap<String, &'static str>,
}

impl From<StateLine> for StateResponse {
    fn from(line: StateLine) -> Self {
        let StateLine { event, state } = line;
        Self {
            position: event.position,
            kind: event.line.kind,
            node_id: event.line.node_id.map(|node| node.to_string()),
            at: event.line.at,
            status: state.status.as_str(),
            nodes: state.nodes.iter().map(|(node, status)| (node.to_string(), status.as_str())).collect(),
        }
    }
}
