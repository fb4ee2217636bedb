//! What an expression reads: `input`, a node or the execution, and the fields below it.
//!
//! A whole expression that is one path, such as `nodes.charge.output.id`, is followed here and never reaches CEL:
//! that is what makes a missing field null there, and what makes most templates cheap.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::names::NodeId;
use crate::workflow::expression::scope::Scope;

/// A place in the scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    /// Where it starts.
    pub(super) root: Root,
    /// The way down from there.
    pub(super) steps: Vec<Step>,
}

/// What a path starts at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Root {
    /// `input`.
    Input,
    /// `nodes.<id>`, an object of output and status.
    Node(NodeId),
    /// `nodes.<id>.output`.
    NodeOutput(NodeId),
    /// `nodes.<id>.status`.
    NodeStatus(NodeId),
    /// `execution`, an object of [`EXECUTION_FIELDS`]; the first step names one.
    Execution,
}

/// The fields of `execution`.
pub(super) const EXECUTION_FIELDS: [&str; 5] = ["id", "workflow", "version", "tenant", "startedAt"];

/// One step down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Into an object.
    Field(String),
    /// Into a list.
    Index(usize),
}

static NULL: Value = Value::Null;

impl Path {
    /// What is there; null where nothing is.
    pub(super) fn resolve<'a>(&self, scope: &Scope<'a>) -> Cow<'a, Value> {
        match &self.root {
            Root::Input => Cow::Borrowed(follow(&scope.context.input, &self.steps)),
            Root::NodeOutput(id) => Cow::Borrowed(follow(node_output(scope, id), &self.steps)),
            Root::NodeStatus(id) => below(node_status(scope, id), &self.steps),
            Root::Node(id) => below(
                json!({"output": node_output(scope, id), "status": node_status(scope, id)}),
                &self.steps,
            ),
            Root::Execution => match self.steps.split_first() {
                Some((Step::Field(field), rest)) => below(execution_field(scope, field), rest),
                Some((Step::Index(_), _)) => Cow::Borrowed(&NULL),
                None => Cow::Owned(execution(scope)),
            },
        }
    }
}

/// The output of a node; null while it has none.
pub(super) fn node_output<'a>(scope: &Scope<'a>, id: &NodeId) -> &'a Value {
    scope.outputs.get(id).unwrap_or(&NULL)
}

/// The status of a node as text.
pub(super) fn node_status(scope: &Scope<'_>, id: &NodeId) -> Value {
    scope.state.nodes.get(id).map_or(Value::Null, |node| Value::from(node.status.as_str()))
}

/// `execution` as an object.
pub(super) fn execution(scope: &Scope<'_>) -> Value {
    EXECUTION_FIELDS.iter().map(|&field| (field.to_owned(), execution_field(scope, field))).collect()
}

fn execution_field(scope: &Scope<'_>, field: &str) -> Value {
    let context = scope.context;
    match field {
        "id" => Value::from(context.id.to_string()),
        "workflow" => Value::from(context.workflow.as_str()),
        "version" => Value::from(context.version),
        "tenant" => Value::from(context.tenant.as_str()),
        "startedAt" => scope.state.started_at.map_or(Value::Null, |at| Value::from(at.to_string())),
        _ => Value::Null,
    }
}

fn follow<'a>(mut value: &'a Value, steps: &[Step]) -> &'a Value {
    for step in steps {
        let next = match step {
            Step::Field(field) => value.get(field),
            Step::Index(index) => value.get(index),
        };
        let Some(next) = next else { return &NULL };
        value = next;
    }
    value
}

fn below(value: Value, steps: &[Step]) -> Cow<'static, Value> {
    if steps.is_empty() { Cow::Owned(value) } else { Cow::Owned(follow(&value, steps).clone()) }
}
