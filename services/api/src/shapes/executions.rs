//! Executions: what is sent to start and steer them, and how they are shown.

mod node;
mod start;
mod state;

use std::collections::BTreeMap;

use domain::id::{ExecutionId, JobId};
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionError;
use engine::{ShownAttributes, ShownFingerprints};
use serde::Serialize;
use serde_json::{Map, Value};
use store::executions::{EventRecord, ExecutionRecord, Parent, Trigger};
use utoipa::ToSchema;

use crate::json::RawJson;
use crate::shapes::list::{OmittedPayloadResponse, PayloadBound};
use crate::shapes::words::{ExecutionStatusSchema, PrioritySchema, TimelineEventKindSchema};

pub(crate) use node::{ExecutionWhyResponse, NodeResponse};
pub(crate) use start::{
    CancelBody, CompletionBody, CreatedResponse, ExecutionBatchBody, ExecutionBody, RerunBody, RoundBody,
    SignalBody,
};
pub(crate) use state::StateResponse;

// How an execution is shown.

/// An execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Execution)]
pub(crate) struct ExecutionResponse {
    #[schema(value_type = String, example = "exe_0193456789ab7def8123456789abcdef")]
    id: ExecutionId,
    #[schema(value_type = String)]
    job_id: JobId,
    workflow: String,
    version: u32,
    #[schema(value_type = ExecutionStatusSchema)]
    status: &'static str,
    #[schema(value_type = PrioritySchema)]
    priority: &'static str,
    tenant: String,
    trigger: TriggerResponse,
    /// Parent execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<ParentResponse>,
    /// Input. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<RawJson>,
    /// Output, once the status is `COMPLETED`. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ExecutionErrorResponse>,
    /// Fingerprint of the most recent dead letter among its jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    /// Unique key.
    #[serde(skip_serializing_if = "Option::is_none")]
    unique_key: Option<String>,
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
    /// Searchable attributes by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, Value>, required = false)]
    attributes: BTreeMap<String, Value>,
    /// When retention dropped the input and output of the execution and its nodes, which are null from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    payload_dropped_at: Option<Timestamp>,
    /// Payloads larger than `maxPayload`, which are null here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    omitted: Vec<OmittedPayloadResponse>,
}

impl ExecutionResponse {
    /// The same with its attributes.
    #[must_use]
    pub(crate) fn with_attributes(mut self, shown: &ShownAttributes) -> Self {
        self.attributes = shown.get(&self.id.uuid()).cloned().unwrap_or_default();
        self
    }

    /// The same with its fingerprint.
    #[must_use]
    pub(crate) fn with_fingerprint(mut self, shown: &ShownFingerprints) -> Self {
        self.fingerprint = shown.get(&self.id.uuid()).cloned();
        self
    }

    /// An execution with its input and output.
    pub(crate) fn whole(record: ExecutionRecord) -> Self {
        Self::within(record, None)
    }

    /// The same without payloads of more bytes than these.
    pub(crate) fn within(mut record: ExecutionRecord, payload_max: Option<usize>) -> Self {
        let mut bound = PayloadBound::new(payload_max, format!("/v1/executions/{}", record.id));
        let input = RawJson::payload(bound.field("input", std::mem::take(&mut record.input)));
        let output = record.output.take().map(|text| RawJson::payload(bound.field("output", text)));
        Self { input: Some(input), output, omitted: bound.omitted(), ..Self::in_list(record) }
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
            parent: record.parent.map(ParentResponse::from),
            input: None,
            output: None,
            error: record.error.map(ExecutionErrorResponse::from),
            fingerprint: None,
            unique_key: record.unique_key.map(|key| key.to_string()),
            correlation_id: record.correlation_id,
            tags: record.tags,
            traceparent: record.traceparent,
            created_at: record.created_at,
            started_at: record.started_at,
            completed_at: record.completed_at,
            attributes: BTreeMap::new(),
            payload_dropped_at: record.payload_dropped_at,
            omitted: Vec::new(),
        }
    }
}

/// The parent of an execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Parent)]
pub(crate) struct ParentResponse {
    #[schema(value_type = String)]
    execution_id: ExecutionId,
    /// Node that started the execution, or the item of a `MAP` such as `book[3]`.
    node_id: String,
}

impl From<Parent> for ParentResponse {
    fn from(parent: Parent) -> Self {
        Self { execution_id: parent.execution_id, node_id: parent.node_id.to_string() }
    }
}

/// What started an execution.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Trigger)]
pub(crate) struct TriggerResponse {
    /// `user`, `schedule`, `webhook`, `event` or `parent`.
    kind: String,
    /// Details, depending on the kind.
    #[serde(flatten)]
    detail: Map<String, Value>,
}

impl From<Trigger> for TriggerResponse {
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
pub(crate) struct ExecutionErrorResponse {
    /// ID of the failed node.
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

impl From<ExecutionError> for ExecutionErrorResponse {
    fn from(error: ExecutionError) -> Self {
        Self { node: error.node.map(|node| node.to_string()), message: error.message, code: error.code }
    }
}

// The timeline of an execution.

/// A timeline entry of an execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TimelineEvent)]
pub(crate) struct TimelineResponse {
    position: i64,
    /// Stable code of the event.
    #[schema(value_type = TimelineEventKindSchema)]
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
