//! The nodes of an execution, and why one is not done.

use domain::id::{ExecutionId, JobId};
use domain::time::Timestamp;
use domain::why::WhyReason;
use engine::{ExecutionWhy, MapLine, NodeLine, NodeWait};
use serde::Serialize;
use utoipa::ToSchema;

use crate::json::RawJson;
use crate::shapes::job_logs::JobErrorBody;
use crate::shapes::list::{OmittedPayloadResponse, PayloadBound};
use crate::shapes::operations::WhyResponse;
use crate::shapes::words::{ExecutionStatusSchema, NodeStatusSchema, WhyReasonSchema};

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
    #[schema(value_type = NodeStatusSchema)]
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
    /// Payloads larger than `maxPayload`, which are null here.
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

    /// One, without payloads of more bytes than `payload_max`.
    pub(crate) fn within(id: ExecutionId, line: NodeLine, payload_max: Option<usize>) -> Self {
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

// Why an execution does not go on.

/// What an execution is waiting for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExecutionWhy)]
pub(crate) struct ExecutionWhyResponse {
    #[schema(value_type = ExecutionStatusSchema)]
    status: &'static str,
    /// `finished`, `waiting` (see `waitsFor`), `running`, or the reason why its own job is not running,
    /// such as `limit_workflow`.
    #[schema(value_type = WhyReasonSchema)]
    reason: &'static str,
    /// Explanation.
    detail: String,
    /// Why its own job is not running, if the execution waits for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<WhyResponse>,
    /// What its nodes wait for, in definition order, at most 100.
    waits_for: Vec<NodeWaitResponse>,
}

impl From<ExecutionWhy> for ExecutionWhyResponse {
    fn from(why: ExecutionWhy) -> Self {
        let (reason, detail) = match (&why.job, why.waits_for.first()) {
            _ if why.status.is_terminal() => {
                (WhyReason::Finished, format!("The execution is {}.", why.status.as_str()))
            }
            (Some(job), _) => (job.reason, job.detail.clone()),
            (None, Some(first)) => {
                let others = match why.waits_for.len() - 1 {
                    0 => String::new(),
                    others => format!(" And {others} more."),
                };
                (
                    WhyReason::Waiting,
                    format!("{} ({}): {}{others}", first.node_id, first.node_type, first.detail),
                )
            }
            (None, None) => (WhyReason::Running, "Its owner is about to continue.".to_owned()),
        };
        Self {
            status: why.status.as_str(),
            reason: reason.as_str(),
            detail,
            job: why.job.map(WhyResponse::from),
            waits_for: why.waits_for.into_iter().map(NodeWaitResponse::from).collect(),
        }
    }
}

/// What a node waits for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NodeWait)]
pub(crate) struct NodeWaitResponse {
    /// The node, the item of a `MAP` as `notify[17]`, or a compensation as `charge:compensate`.
    node_id: String,
    /// Node type, such as `TIMER`.
    r#type: &'static str,
    /// `timer`, `signal`, `user_task`, `child`, `callback`, `event`, `delay`, `job_queued`, `job_running` or `retry_wait`.
    #[schema(value_type = String)]
    reason: &'static str,
    /// Explanation.
    detail: String,
    /// Time of the next event: the timer fires, the wait times out, or the job is retried.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
    /// Its job.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    job_id: Option<JobId>,
    /// Child execution that the node waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    execution_id: Option<ExecutionId>,
    /// Why the job is not running.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<WhyResponse>,
}

impl From<NodeWait> for NodeWaitResponse {
    fn from(wait: NodeWait) -> Self {
        Self {
            node_id: wait.node_id.to_string(),
            r#type: wait.node_type,
            reason: wait.reason,
            detail: wait.detail,
            until: wait.until,
            job_id: wait.job_id,
            execution_id: wait.child_id,
            job: wait.job.map(WhyResponse::from),
        }
    }
}
