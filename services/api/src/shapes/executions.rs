//! Executions: what is sent to start one, and how one is shown.

use domain::id::{ExecutionId, JobId};
use domain::names::{CallerKey, Tag, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionError;
use engine::{CreatedExecution, ExecutionRequest, NodeLine};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use store::executions::{EventRecord, ExecutionRecord, Trigger};
use utoipa::ToSchema;

use super::attempts::JobErrorShape;
use super::needed::Needed;
use super::words::{ExecutionStatusWord, PriorityWord};
use crate::extract::is_traceparent;
use crate::json::{RawJson, present};
use crate::problem::ApiResult;

/// An execution to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ExecutionRequest)]
pub(crate) struct ExecutionBody {
    /// The workflow's name.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    workflow: Option<WorkflowName>,
    /// The latest where absent.
    version: Option<u32>,
    /// The input, checked against the workflow's schema; an empty object where absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    input: Option<RawJson>,
    /// `high` where absent.
    #[schema(value_type = Option<PriorityWord>)]
    priority: Option<Tier>,
    /// The key's own tenant, or `default`, where absent.
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// Whatever the caller knows it by.
    #[schema(value_type = Option<String>)]
    correlation_id: Option<CallerKey>,
    /// Words to find it by.
    #[serde(default)]
    #[schema(value_type = Vec<String>, required = false)]
    tags: Vec<Tag>,
    /// W3C trace context, carried to the workers. Goes before the header of that name.
    traceparent: Option<String>,
}

impl ExecutionBody {
    /// The request, with the trace context of the header where the body has none.
    pub(crate) fn into_request(self, header: Option<&str>) -> ApiResult<ExecutionRequest> {
        let mut needed = Needed::default();
        let workflow = needed.field("workflow", self.workflow);
        if self.traceparent.as_deref().is_some_and(|text| !is_traceparent(text)) {
            needed.add("/traceparent", "expected a W3C trace context");
        }
        let (Some(workflow), false) = (workflow, needed.any()) else {
            return Err(needed.problem());
        };
        Ok(ExecutionRequest {
            workflow,
            version: self.version,
            input: self.input.map_or_else(|| "{}".to_owned(), RawJson::into_text),
            tier: self.priority,
            tenant: self.tenant,
            correlation_id: self.correlation_id,
            tags: self.tags,
            traceparent: self.traceparent.or_else(|| header.map(str::to_owned)),
            trigger: Trigger { kind: "user".to_owned(), detail: None },
        })
    }
}

/// Executions to start in one commit.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ExecutionBatch)]
pub(crate) struct ExecutionBatchBody {
    /// The executions, at most 10,000.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<ExecutionBody>, required = true)]
    pub(crate) executions: Option<Vec<RawJson>>,
    /// Whether valid executions are accepted beside invalid ones; otherwise it is all or nothing.
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) partial: bool,
}

/// An accepted execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreatedExecution)]
pub(crate) struct CreatedShape {
    #[schema(value_type = String, example = "exe_0193456789ab7def8123456789abcdef")]
    pub(crate) id: ExecutionId,
    /// Its job on `workflow-execution`.
    #[schema(value_type = String)]
    job_id: JobId,
    /// The job's place: smaller positions of a lane are served first.
    position: i64,
    #[schema(value_type = ExecutionStatusWord)]
    status: &'static str,
    /// Whether it was there already; absent when it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    existing: Option<bool>,
}

impl From<CreatedExecution> for CreatedShape {
    fn from(created: CreatedExecution) -> Self {
        Self {
            id: created.id,
            job_id: created.job_id,
            position: created.position,
            status: created.status.as_str(),
            existing: created.existing.then_some(true),
        }
    }
}

/// An execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Execution)]
pub(crate) struct ExecutionShape {
    #[schema(value_type = String, example = "exe_0193456789ab7def8123456789abcdef")]
    id: ExecutionId,
    #[schema(value_type = String)]
    job_id: JobId,
    workflow: String,
    version: u32,
    #[schema(value_type = ExecutionStatusWord)]
    status: &'static str,
    #[schema(value_type = PriorityWord)]
    priority: &'static str,
    tenant: String,
    trigger: TriggerShape,
    /// Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<RawJson>,
    /// Once it is COMPLETED. Not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ExecutionErrorShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    started_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    completed_at: Option<Timestamp>,
}

impl ExecutionShape {
    /// An execution with its input and output.
    pub(crate) fn whole(mut record: ExecutionRecord) -> Self {
        let input = RawJson::stored(std::mem::take(&mut record.input));
        let output = record.output.take().map(RawJson::stored);
        Self { input: Some(input), output, ..Self::in_list(record) }
    }

    /// An execution in a list.
    pub(crate) fn in_list(record: ExecutionRecord) -> Self {
        Self {
            id: record.id,
            job_id: record.job_id,
            workflow: record.workflow.name.to_string(),
            version: record.version,
            status: record.status.as_str(),
            priority: record.tier.as_str(),
            tenant: record.tenant.to_string(),
            trigger: record.trigger.into(),
            input: None,
            output: None,
            error: record.error.map(ExecutionErrorShape::from),
            correlation_id: record.correlation_id,
            tags: record.tags,
            traceparent: record.traceparent,
            created_at: record.created_at,
            started_at: record.started_at,
            completed_at: record.completed_at,
        }
    }
}

/// What started an execution.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Trigger)]
pub(crate) struct TriggerShape {
    /// `user`, `schedule`, `webhook`, `event` or `parent`.
    kind: String,
    /// What more there is to say, by kind.
    #[serde(flatten)]
    detail: Map<String, Value>,
}

impl From<Trigger> for TriggerShape {
    fn from(trigger: Trigger) -> Self {
        let detail = trigger.detail.and_then(|text| serde_json::from_str::<Map<String, Value>>(&text).ok());
        let mut detail = detail.unwrap_or_default();
        detail.remove("kind");
        Self { kind: trigger.kind, detail }
    }
}

/// Why an execution failed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ExecutionError)]
pub(crate) struct ExecutionErrorShape {
    /// The node that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

impl From<ExecutionError> for ExecutionErrorShape {
    fn from(error: ExecutionError) -> Self {
        Self { node: error.node.map(|node| node.to_string()), message: error.message, code: error.code }
    }
}

/// A node of an execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Node)]
pub(crate) struct NodeShape {
    node_id: String,
    /// Such as `SERVICE_TASK`, `HTTP` or `TRANSFORM`.
    r#type: String,
    /// `PENDING`, `RUNNING`, `WAITING`, `RETRY_WAIT`, `COMPLETED`, `SKIPPED`, `FAILED` or `CANCELLED`.
    #[schema(value_type = String)]
    status: &'static str,
    /// Attempts so far.
    attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<JobErrorShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    started_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
}

impl From<NodeLine> for NodeShape {
    fn from(line: NodeLine) -> Self {
        Self {
            node_id: line.node_id.to_string(),
            r#type: line.node_type,
            status: line.status.as_str(),
            attempts: line.attempts,
            input: line.input.map(RawJson::stored),
            output: line.output.map(RawJson::stored),
            error: line.error.map(JobErrorShape::from),
            started_at: line.started_at,
            finished_at: line.finished_at,
        }
    }
}

/// A line of the timeline of an execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TimelineEvent)]
pub(crate) struct TimelineShape {
    position: i64,
    /// A stable word.
    #[schema(example = "node_completed")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    /// A sentence more.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

impl From<EventRecord> for TimelineShape {
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

/// Why an execution is cancelled.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = CancelRequest)]
pub(crate) struct CancelBody {
    /// For the timeline.
    pub(crate) reason: Option<String>,
}
