//! Simulations: what is given in the place of handlers and people, and what became of the run.

use std::collections::{BTreeMap, VecDeque};

use domain::failure::JobError;
use domain::names::{EventType, TenantName, WorkflowName};
use domain::time::{DurationMs, Timestamp};
use domain::workflow::parse::Format;
use domain::workflow::simulate::{
    MockEvent, MockOutcome, MockResult, MockSignal, Script, SimulatedRound, WaitingFor,
};
use engine::{SimulatedWorkflow, Simulation, SimulationRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::executions::ExecutionErrorResponse;
use super::job_logs::JobErrorBody;
use super::leases::error_or_message;
use super::words::{ExecutionStatusSchema, NodeStatusSchema, TimelineEventKindSchema};
use crate::json::{RawJson, present};
use crate::problem::{ApiResult, Problem};

/// A simulation: a definition or a registered workflow, and what its nodes return.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = SimulationRequest)]
pub(crate) struct SimulationBody {
    /// The definition: an object, or its YAML as a string. It need not be registered.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    definition: Option<RawJson>,
    /// Name of a registered workflow, instead of a definition.
    #[schema(value_type = Option<String>)]
    workflow: Option<WorkflowName>,
    /// Version of the registered workflow (default: the latest).
    version: Option<u32>,
    /// Input, validated against the workflow's schema (default: an empty object).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    input: Option<RawJson>,
    /// Results by node ID, one for each round of the node, in order. Results of a `MAP` apply to its items; a single
    /// item is `notify[3]`, a compensation is `charge:compensate`.
    #[serde(default)]
    #[schema(required = false)]
    results: BTreeMap<String, Vec<MockResultBody>>,
    /// Signals to send.
    #[serde(default)]
    #[schema(required = false)]
    signals: Vec<MockSignalBody>,
    /// Events to deliver. An event ends the wait of every node that it matches.
    #[serde(default)]
    #[schema(required = false)]
    events: Vec<MockEventBody>,
    /// Start time of the run (default: now).
    #[schema(value_type = Option<String>, format = DateTime)]
    now: Option<Timestamp>,
    /// Tenant of the registered workflow (default: the key's tenant, or `default`).
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
}

/// How one round of a node ends, after its retries: exactly one of `output`, `error` and `timesOut`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = MockResult)]
pub(crate) struct MockResultBody {
    /// What the handler or child returns, the person submits, or the signal or callback carries.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    output: Option<RawJson>,
    /// Error: an object, or just a message.
    #[serde(default, deserialize_with = "error_or_message")]
    #[schema(value_type = Option<JobErrorBody>, required = false)]
    error: Option<JobError>,
    /// Whether the node's timeout ends it.
    #[serde(default)]
    #[schema(required = false)]
    times_out: bool,
    /// Duration of the round (default: zero).
    #[schema(value_type = Option<String>, example = "10s")]
    after: Option<DurationMs>,
}

/// A signal to send.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = MockSignal)]
pub(crate) struct MockSignalBody {
    /// Signal name.
    name: String,
    /// Payload.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    payload: Option<RawJson>,
    /// Time after the start at which it is sent (default: as soon as a node waits for it).
    #[schema(value_type = Option<String>, example = "1h")]
    after: Option<DurationMs>,
}

/// An event to deliver.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = MockEvent)]
pub(crate) struct MockEventBody {
    /// Event name.
    #[schema(value_type = String)]
    name: EventType,
    /// Data.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    data: Option<RawJson>,
    /// Time after the start at which it is delivered (default: as soon as a node waits for it).
    #[schema(value_type = Option<String>, example = "1h")]
    after: Option<DurationMs>,
}

impl SimulationBody {
    /// The request.
    pub(crate) fn into_request(self) -> ApiResult<SimulationRequest> {
        let source = match (self.definition, self.workflow) {
            (Some(definition), None) => definition_of(&definition)?,
            (None, Some(workflow)) => SimulatedWorkflow::Registered { workflow, version: self.version },
            _ => return Err(Problem::fault("/definition", "expected either `definition` or `workflow`")),
        };
        let mut results = BTreeMap::new();
        for (key, list) in self.results {
            let each = |(index, result): (usize, MockResultBody)| {
                result.into_result().ok_or_else(|| {
                    Problem::fault(
                        format!("/results/{key}/{index}"),
                        "expected exactly one of `output`, `error` and `timesOut`",
                    )
                })
            };
            let list: VecDeque<MockResult> =
                list.into_iter().enumerate().map(each).collect::<ApiResult<_>>()?;
            results.insert(key, list);
        }
        let signals = self.signals.into_iter().map(MockSignalBody::into_signal).collect();
        let events = self.events.into_iter().map(MockEventBody::into_event).collect();
        Ok(SimulationRequest {
            source,
            input: self.input.map_or_else(|| "{}".to_owned(), RawJson::into_text),
            script: Script { results, signals, events },
            now: self.now,
            tenant: self.tenant,
        })
    }
}

/// A string is YAML.
fn definition_of(definition: &RawJson) -> ApiResult<SimulatedWorkflow> {
    if !definition.text().starts_with('"') {
        return Ok(SimulatedWorkflow::Text { text: definition.text().to_owned(), format: Format::Json });
    }
    let text = serde_json::from_str(definition.text())
        .map_err(|error| Problem::fault("/definition", format!("expected text: {error}")))?;
    Ok(SimulatedWorkflow::Text { text, format: Format::Yaml })
}

impl MockResultBody {
    fn into_result(self) -> Option<MockResult> {
        let outcome = match (self.output, self.error, self.times_out) {
            (Some(output), None, false) => MockOutcome::Output(value_of(&output)),
            (None, Some(error), false) => MockOutcome::Error(error.bounded()),
            (None, None, true) => MockOutcome::TimesOut,
            _ => return None,
        };
        Some(MockResult { outcome, after: self.after.unwrap_or(DurationMs::ZERO) })
    }
}

impl MockEventBody {
    fn into_event(self) -> MockEvent {
        let data = self.data.as_ref().map_or(Value::Null, value_of);
        MockEvent { name: self.name, data, after: self.after }
    }
}

impl MockSignalBody {
    fn into_signal(self) -> MockSignal {
        let payload = self.payload.map_or(Value::Null, |payload| value_of(&payload));
        MockSignal { name: self.name, payload, after: self.after }
    }
}

/// A part of a body that was read as JSON before.
fn value_of(text: &RawJson) -> Value {
    serde_json::from_str(text.text()).unwrap_or(Value::Null)
}

/// The state in which a simulated execution ended or waits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Simulation)]
pub(crate) struct SimulationResponse {
    /// Status of the execution: `COMPLETED`, `FAILED` or `CANCELLED`; `RUNNING` or `COMPENSATING` if it waits.
    #[schema(value_type = ExecutionStatusSchema)]
    status: &'static str,
    /// Output, if it completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<RawJson>,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ExecutionErrorResponse>,
    /// Each round of each node: first rounds that ended, in order, then rounds that wait or never started.
    nodes: Vec<SimulatedNodeResponse>,
    /// The timeline.
    timeline: Vec<SimulatedEventResponse>,
    /// What it waits for; empty if it ended.
    waiting_for: Vec<SimulatedWaitResponse>,
    /// The simulated time at that point.
    #[schema(value_type = String, format = DateTime)]
    now: Timestamp,
}

/// A round of a node of a simulated execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SimulatedNode)]
struct SimulatedNodeResponse {
    /// Node ID; a compensation is `charge:compensate`, an item of a `MAP` is `notify[17]`.
    node_id: String,
    /// Number of times that the node had been started.
    round: u32,
    #[schema(value_type = NodeStatusSchema)]
    status: &'static str,
    /// Input that its handler, child execution or person receives.
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
}

/// A timeline entry of a simulated execution.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SimulatedEvent)]
struct SimulatedEventResponse {
    /// Stable code of the event.
    #[schema(value_type = TimelineEventKindSchema)]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    /// Additional message.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
}

/// Something that a simulated execution waits for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SimulatedWait)]
struct SimulatedWaitResponse {
    /// Node ID; provide its result under this key.
    node_id: String,
    /// `result`, `child`, `signal`, `user_task`, `callback` or `event`.
    #[schema(value_type = String)]
    awaits: &'static str,
    /// Name of the signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
}

impl From<Simulation> for SimulationResponse {
    fn from(simulation: Simulation) -> Self {
        let simulated = simulation.simulated;
        let timeline = simulated.timeline.into_iter().map(|line| SimulatedEventResponse {
            kind: line.kind.as_str(),
            node_id: line.node.map(|node| node.to_string()),
            detail: line.detail,
            at: line.at,
        });
        Self {
            status: simulated.status.as_str(),
            output: simulated.output.as_ref().map(raw),
            error: simulated.error.map(ExecutionErrorResponse::from),
            nodes: simulated.rounds.into_iter().map(SimulatedNodeResponse::from).collect(),
            timeline: timeline.collect(),
            waiting_for: simulated.waiting_for.into_iter().map(SimulatedWaitResponse::from).collect(),
            now: simulated.now,
        }
    }
}

impl From<SimulatedRound> for SimulatedNodeResponse {
    fn from(round: SimulatedRound) -> Self {
        Self {
            node_id: round.key.to_string(),
            round: round.round,
            status: round.status.as_str(),
            input: round.input.as_ref().map(raw),
            output: round.output.as_ref().map(raw),
            error: round.error.map(JobErrorBody::from),
            started_at: round.started_at,
            finished_at: round.finished_at,
        }
    }
}

impl From<WaitingFor> for SimulatedWaitResponse {
    fn from(waiting: WaitingFor) -> Self {
        let (awaits, signal) = waiting.awaited.into_names();
        Self { node_id: waiting.key.to_string(), awaits, signal }
    }
}

fn raw(value: &Value) -> RawJson {
    RawJson::payload(value.to_string())
}
