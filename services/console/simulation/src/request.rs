//! What the page gives: the body of `POST /v1/workflows/simulate` for a definition, with instant, tenant and limits, which a
//! server knows by itself.

use std::collections::{BTreeMap, VecDeque};

use domain::failure::JobError;
use domain::names::{EventType, TenantName};
use domain::time::{DurationMs, Timestamp};
use domain::workflow::expression::EvaluationLimits;
use domain::workflow::parse::DefinitionLimits;
use domain::workflow::simulate::{MockEvent, MockOutcome, MockResult, MockSignal, Script};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A simulation.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// An object, or YAML as a string.
    pub(crate) definition: Box<RawValue>,
    /// The input.
    pub(crate) input: Box<RawValue>,
    #[serde(default)]
    results: BTreeMap<String, VecDeque<ResultBody>>,
    #[serde(default)]
    signals: Vec<SignalBody>,
    #[serde(default)]
    events: Vec<EventBody>,
    /// When the run starts.
    pub(crate) now: Timestamp,
    /// Whose run it is.
    pub(crate) tenant: TenantName,
    /// The server's limits.
    pub(crate) limits: Limits,
}

/// The limits of the server, from the page that it sent.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Limits {
    /// The most bytes of an input.
    pub(crate) input_bytes: usize,
    /// How deep a request may be nested.
    pub(crate) depth: u32,
    definition_bytes: usize,
    nodes: usize,
    expression_bytes: usize,
    expression_steps: u64,
    expression_memory: u64,
    step_steps: u64,
    step_bytes: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ResultBody {
    #[serde(default, deserialize_with = "present")]
    output: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    error: Option<ErrorBody>,
    #[serde(default)]
    times_out: bool,
    after: Option<DurationMs>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ErrorBody {
    Message(String),
    Whole(WholeError),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WholeError {
    message: String,
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    details: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignalBody {
    name: String,
    #[serde(default)]
    payload: Value,
    after: Option<DurationMs>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EventBody {
    name: EventType,
    #[serde(default)]
    data: Value,
    after: Option<DurationMs>,
}

/// Tells null from a field that is not there.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Request {
    /// What handlers, people and the world answer. Nothing where a result is not exactly one of the three.
    pub(crate) fn take_script(&mut self) -> Option<Script> {
        let mut results = BTreeMap::new();
        for (key, list) in std::mem::take(&mut self.results) {
            let list: Option<VecDeque<MockResult>> = list.into_iter().map(ResultBody::into_result).collect();
            results.insert(key, list?);
        }
        let signals = std::mem::take(&mut self.signals).into_iter();
        let signals =
            signals.map(|SignalBody { name, payload, after }| MockSignal { name, payload, after }).collect();
        let events = std::mem::take(&mut self.events).into_iter();
        let events = events.map(|EventBody { name, data, after }| MockEvent { name, data, after }).collect();
        Some(Script { results, signals, events })
    }
}

impl Limits {
    /// Those of a definition.
    pub(crate) fn of_definition(&self) -> DefinitionLimits {
        DefinitionLimits {
            size_bytes_max: self.definition_bytes,
            nodes_max: self.nodes,
            expression_bytes_max: self.expression_bytes,
        }
    }

    /// Those of evaluations.
    pub(crate) const fn of_evaluation(&self) -> EvaluationLimits {
        EvaluationLimits {
            steps_max: self.expression_steps,
            bytes_max: self.expression_memory,
            execution_steps_max: self.step_steps,
            effect_bytes_max: self.step_bytes,
        }
    }
}

impl ResultBody {
    fn into_result(self) -> Option<MockResult> {
        let outcome = match (self.output, self.error, self.times_out) {
            (Some(output), None, false) => MockOutcome::Output(output),
            (None, Some(error), false) => MockOutcome::Error(error.into_error().bounded()),
            (None, None, true) => MockOutcome::TimesOut,
            _ => return None,
        };
        Some(MockResult { outcome, after: self.after.unwrap_or(DurationMs::ZERO) })
    }
}

impl ErrorBody {
    fn into_error(self) -> JobError {
        match self {
            Self::Message(message) => JobError { message, code: None, details: None },
            Self::Whole(WholeError { message, code, details }) => JobError { message, code, details },
        }
    }
}
