//! The nodes of an execution.

use domain::time::Timestamp;
use engine::{MapLine, NodeLine};
use serde::Serialize;
use utoipa::ToSchema;

use super::why::NodeWaitResponse;
use crate::json::RawJson;
use crate::shapes::attempts::JobErrorBody;

/// A node of an execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Node)]
pub(crate) struct NodeResponse {
    /// Node ID; a compensation is `charge:compensate`, an item of a `MAP` is `notify[17]`.
    #[schema(example = "charge")]
    node_id: String,
    /// Node type, such as `SERVICE_TASK`, `TIMER` or `MAP`.
    r#type: String,
    /// `PENDING`, `RUNNING`, `WAITING`, `RETRY_WAIT`, `COMPLETED`, `SKIPPED`, `FAILED` or `CANCELLED`.
    #[schema(value_type = String)]
    status: &'static str,
    /// Number of attempts so far.
    attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JobErrorBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    started_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
    /// What the node waits for, while it is `WAITING`.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<NodeWaitResponse>,
    /// One-time callback URL of a `WAIT_WEBHOOK` node until it is used. Hidden from read-only keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    callback_url: Option<String>,
    /// Progress of a `MAP`, once it has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    map_items: Option<MapItemsResponse>,
}

/// Progress of a `MAP`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = MapItems)]
pub(crate) struct MapItemsResponse {
    /// Number of items.
    total: u32,
    /// Number of started items.
    started: u32,
    /// Number of completed items, including collected failures.
    completed: u32,
}

impl NodeResponse {
    /// The nodes of an execution; with `with_items` each `MAP` is followed by its listed items.
    pub(crate) fn list(lines: Vec<NodeLine>, with_items: bool) -> Vec<Self> {
        let mut shapes = Vec::with_capacity(lines.len());
        for mut line in lines {
            let items = line.map.as_mut().map(|map| std::mem::take(&mut map.items)).unwrap_or_default();
            shapes.push(Self::from(line));
            if with_items {
                shapes.extend(items.into_iter().map(Self::from));
            }
        }
        shapes
    }
}

impl From<MapLine> for MapItemsResponse {
    fn from(map: MapLine) -> Self {
        Self { total: map.total, started: map.started, completed: map.completed }
    }
}

impl From<NodeLine> for NodeResponse {
    fn from(line: NodeLine) -> Self {
        Self {
            node_id: line.node_id.to_string(),
            r#type: line.node_type,
            status: line.status.as_str(),
            attempts: line.attempts,
            input: line.input.map(RawJson::payload),
            output: line.output.map(RawJson::payload),
            error: line.error.map(JobErrorBody::from),
            started_at: line.started_at,
            finished_at: line.finished_at,
            waits_for: line.waits_for.map(NodeWaitResponse::from),
            callback_url: line.callback_url,
            map_items: line.map.map(MapItemsResponse::from),
        }
    }
}
