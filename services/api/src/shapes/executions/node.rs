//! The nodes of an execution.

use domain::id::ExecutionId;
use domain::time::Timestamp;
use engine::{MapLine, NodeLine};
use serde::Serialize;
use utoipa::ToSchema;

use super::why::NodeWaitResponse;
use crate::json::RawJson;
use crate::shapes::attempts::JobErrorBody;
use crate::shapes::omitted::{OmittedPayloadResponse, PayloadBound};

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
    /// Payloads above `maxPayload`, which are null here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    omitted: Vec<OmittedPayloadResponse>,
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
    /// The nodes of an execution; with `with_items` each `MAP` is followed by its listed items. Without payloads of more
    /// bytes than `payload_max`.
    pub(crate) fn list(
        id: ExecutionId,
        lines: Vec<NodeLine>,
        with_items: bool,
        payload_max: Option<usize>,
    ) -> Vec<Self> {
        let mut shapes = Vec::with_capacity(lines.len());
        for mut line in lines {
            let items = line.map.as_mut().map(|map| std::mem::take(&mut map.items)).unwrap_or_default();
            shapes.push(Self::within(id, line, payload_max));
            if with_items {
                shapes.extend(items.into_iter().map(|item| Self::within(id, item, payload_max)));
            }
        }
        shapes
    }

    fn within(id: ExecutionId, line: NodeLine, payload_max: Option<usize>) -> Self {
        let mut bound = PayloadBound::new(payload_max, format!("/v1/executions/{id}/nodes/{}", line.node_id));
        Self {
            node_id: line.node_id.to_string(),
            r#type: line.node_type,
            status: line.status.as_str(),
            attempts: line.attempts,
            input: line.input.map(|text| RawJson::payload(bound.field("input", text))),
            output: line.output.map(|text| RawJson::payload(bound.field("output", text))),
            error: line.error.map(JobErrorBody::from),
            started_at: line.started_at,
            finished_at: line.finished_at,
            waits_for: line.waits_for.map(NodeWaitResponse::from),
            callback_url: line.callback_url,
            map_items: line.map.map(MapItemsResponse::from),
            omitted: bound.omitted(),
        }
    }
}

impl From<MapLine> for MapItemsResponse {
    fn from(map: MapLine) -> Self {
        Self { total: map.total, started: map.started, completed: map.completed }
    }
}
