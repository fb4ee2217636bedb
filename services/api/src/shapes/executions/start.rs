//! What is sent to start executions, and what is answered at once.

use std::collections::BTreeMap;

use domain::failure::values_of;
use domain::id::{ExecutionId, JobId};
use domain::names::{CallerKey, NodeId, Tag, TenantName, WorkflowName};
use domain::queue::Tier;
use domain::time::{DurationMs, Timestamp};
use domain::workflow::unique::UniquePolicy;
use engine::{CreatedExecution, ExecutionRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::executions::Trigger;
use utoipa::ToSchema;

use crate::extract::is_traceparent;
use crate::json::{Item, RawJson, list, present, small_values};
use crate::problem::ApiResult;
use crate::shapes::list::RequiredFields;
use crate::shapes::words::{ExecutionStatusSchema, PrioritySchema, UniquePolicySchema, unique_policy};

/// An execution to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ExecutionRequest)]
pub(crate) struct ExecutionBody {
    /// Workflow name.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    workflow: Option<WorkflowName>,
    /// Workflow version (default: the latest).
    version: Option<u32>,
    /// Input, validated against the workflow's schema (default: an empty object).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    input: Option<RawJson>,
    /// Priority (default `high`).
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// Tenant (default: the key's tenant, or `default`).
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// Earliest start time. Mutually exclusive with `delay`.
    #[schema(value_type = Option<String>, format = DateTime)]
    run_at: Option<Timestamp>,
    /// Delay before the earliest start.
    #[schema(value_type = Option<String>, example = "30s")]
    delay: Option<DurationMs>,
    /// Maximum wait for the start, counted from when the execution may start (default: the workflow's). An execution
    /// that has not started by then is cancelled with the error code `expired`.
    #[schema(value_type = Option<String>, example = "10m")]
    expires_in: Option<DurationMs>,
    /// Correlation ID chosen by the caller.
    #[schema(value_type = Option<String>)]
    correlation_id: Option<CallerKey>,
    /// Tags for filtering.
    #[serde(default)]
    #[schema(value_type = Vec<String>, required = false)]
    tags: Vec<Tag>,
    /// W3C trace context passed to workers. Overrides the `traceparent` header.
    traceparent: Option<String>,
    /// Unique key of the execution within its tenant and workflow while it is open.
    #[schema(value_type = Option<String>)]
    unique_key: Option<CallerKey>,
    /// What happens while an execution with the key is open: `join` (default), `reject`, `replace` or `queue`.
    #[serde(default, deserialize_with = "unique_policy")]
    #[schema(value_type = Option<UniquePolicySchema>)]
    unique_policy: Option<UniquePolicy>,
    /// Signal for the open execution with the key, or for the new one. Requires `uniqueKey` and the policy `join`.
    signal: Option<StartSignalBody>,
    /// Searchable attributes by name: values of their declared types, or lists of at most 16 values.
    #[serde(default, deserialize_with = "small_values")]
    #[schema(value_type = BTreeMap<String, Value>, required = false)]
    attributes: BTreeMap<String, Value>,
}

/// A signal to send with the start of an execution.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = StartSignal)]
struct StartSignalBody {
    /// Signal name.
    #[schema(value_type = String)]
    name: CallerKey,
    /// Payload (default: null).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    payload: Option<RawJson>,
}

impl Item for ExecutionBody {
    fn values(&self) -> usize {
        self.attributes.values().map(values_of).sum()
    }
}

impl ExecutionBody {
    /// The request, with the trace context of the header where the body has none.
    pub(crate) fn into_request(self, header: Option<&str>) -> ApiResult<ExecutionRequest> {
        let mut needed = RequiredFields::default();
        let workflow = needed.field("workflow", self.workflow);
        if self.traceparent.as_deref().is_some_and(|text| !is_traceparent(text)) {
            needed.add("/traceparent", "expected a W3C trace context");
        }
        if self.unique_key.is_none() && self.unique_policy.is_some() {
            needed.add("/uniqueKey", "is required with a policy");
        }
        let (Some(workflow), false) = (workflow, needed.any()) else {
            return Err(needed.problem());
        };
        let signal = self.signal.map(|signal| {
            let payload = signal.payload.map_or_else(|| "null".to_owned(), RawJson::into_text);
            (signal.name, payload)
        });
        Ok(ExecutionRequest {
            workflow,
            version: self.version,
            input: self.input.map_or_else(|| "{}".to_owned(), RawJson::into_text),
            tier: self.priority,
            tenant: self.tenant,
            run_at: self.run_at,
            delay: self.delay,
            expires_in: self.expires_in,
            correlation_id: self.correlation_id,
            tags: self.tags,
            traceparent: self.traceparent.or_else(|| header.map(str::to_owned)),
            trigger: Trigger { kind: "user".to_owned(), detail: None },
            unique: self.unique_key.map(|key| (key, self.unique_policy.unwrap_or_default())),
            signal,
            attributes: self.attributes,
        })
    }
}

/// Executions to start in one commit.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ExecutionBatch)]
pub(crate) struct ExecutionBatchBody {
    /// The executions, at most 10,000.
    #[serde(default, deserialize_with = "list")]
    #[schema(value_type = Vec<ExecutionBody>, required = true)]
    pub(crate) executions: Option<Vec<RawJson>>,
    /// Whether valid executions are accepted even if others are invalid (default false: atomic).
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) partial: bool,
}

/// An accepted execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreatedExecution)]
pub(crate) struct CreatedResponse {
    #[schema(value_type = String, example = "exe_0193456789ab7def8123456789abcdef")]
    pub(crate) id: ExecutionId,
    /// Its job on `workflow-execution`.
    #[schema(value_type = String)]
    job_id: JobId,
    /// Queue position of the job: lower positions of a lane are processed first.
    position: i64,
    #[schema(value_type = ExecutionStatusSchema)]
    status: &'static str,
    /// True if it already exists; absent for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    existing: Option<bool>,
    /// The execution that was cancelled for this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    replaces: Option<ExecutionId>,
    /// Position of the signal, for `GET /v1/commands/{position}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    command_position: Option<i64>,
}

impl From<CreatedExecution> for CreatedResponse {
    fn from(created: CreatedExecution) -> Self {
        Self {
            id: created.id,
            job_id: created.job_id,
            position: created.position,
            status: created.status.as_str(),
            existing: created.existing.then_some(true),
            replaces: created.replaces.first().copied(),
            command_position: created.command_position,
        }
    }
}

// What is sent to executions that are there.

/// Options of a cancellation.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = CancelRequest)]
pub(crate) struct CancelBody {
    /// Reason, recorded in the timeline.
    pub(crate) reason: Option<String>,
    /// Whether completed nodes are compensated first (default false).
    #[serde(default)]
    #[schema(required = false)]
    pub(crate) compensate: bool,
}

/// A signal.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SignalRequest)]
pub(crate) struct SignalBody {
    /// Payload (default null). It becomes the output of the node that receives the signal.
    #[schema(value_type = Option<RawJson>)]
    payload: Option<RawJson>,
}

impl SignalBody {
    /// The payload as raw JSON text.
    pub(crate) fn into_text(self) -> String {
        text_of(self.payload)
    }
}

/// The output of a user task.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserTaskCompletion)]
pub(crate) struct CompletionBody {
    /// Validated against the task's form (default null). It becomes the output of the node.
    #[schema(value_type = Option<RawJson>)]
    output: Option<RawJson>,
    /// Round of the node (default: the latest).
    #[serde(default)]
    round: Option<u32>,
}

impl CompletionBody {
    /// The round, and the output as raw JSON text.
    pub(crate) fn into_parts(self) -> (Option<u32>, String) {
        (self.round, text_of(self.output))
    }
}

/// Round of a user task.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserTaskRound)]
pub(crate) struct RoundBody {
    /// Round of the node (default: the latest).
    #[serde(default)]
    pub(crate) round: Option<u32>,
}

/// Options of a rerun.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = RerunRequest)]
pub(crate) struct RerunBody {
    /// Node to rerun from. It and all nodes after it run again; results of the others are reused.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    pub(crate) from_node: Option<NodeId>,
    /// New input (default: the input of the original execution).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    pub(crate) input: Option<RawJson>,
    /// Whether a failed rerun also compensates nodes whose results it reused (default false).
    #[serde(default)]
    pub(crate) compensate_original: bool,
}

fn text_of(value: Option<RawJson>) -> String {
    value.map_or_else(|| "null".to_owned(), RawJson::into_text)
}
