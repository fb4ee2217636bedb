//! What an expression reads: `input`, a node, the execution, an item or the error, and the fields below it.
//!
//! A whole expression that is one path, such as `nodes.charge.output.id`, is followed here and never reaches CEL:
//! that is what makes a missing field null there, and what makes most templates cheap.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::names::NodeId;
use crate::workflow::callback::callback_url;
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
    /// `nodes.<id>.callbackUrl`, which is known before the node waits.
    NodeCallbackUrl(NodeId),
    /// `execution`, an object of [`EXECUTION_FIELDS`]; the first step names one.
    Execution,
    /// `item` of a `MAP`.
    Item,
    /// `index` of a `MAP`.
    Index,
    /// `error`, an object of [`ERROR_FIELDS`]; the first step names one.
    Error,
    /// One of [`EVENT_ROOTS`].
    Event(&'static str),
}

/// The fields of `execution`.
pub(super) const EXECUTION_FIELDS: [&str; 5] = ["id", "workflow", "version", "tenant", "startedAt"];

/// The fields of `error`.
pub(super) const ERROR_FIELDS: [&str; 3] = ["node", "message", "code"];

/// What a trigger of a webhook sees of a delivery: each is a field of [`Local::event`](super::Local).
pub(super) const EVENT_ROOTS: [&str; 6] = ["body", "headers", "event", "query", "delivery", BATCH_ROOT];

/// The events of a batch, which are in scope alone.
pub(super) const BATCH_ROOT: &str = "batch";

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
            Root::NodeCallbackUrl(id) => below(callback_of(scope, id), &self.steps),
            Root::Item => Cow::Borrowed(follow(item(scope), &self.steps)),
            Root::Index => below(index(scope), &self.steps),
            Root::Event(root) => Cow::Borrowed(follow(event(scope, root), &self.steps)),
            Root::Error => below(error(scope), &self.steps),
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

/// The callback address of a node.
pub(super) fn callback_of(scope: &Scope<'_>, id: &NodeId) -> Value {
    Value::from(callback_url(&scope.context.callbacks, scope.context.id, id))
}

/// `item`.
pub(super) fn item<'a>(scope: &Scope<'a>) -> &'a Value {
    scope.local.item.unwrap_or(&NULL)
}

/// `index`.
pub(super) fn index(scope: &Scope<'_>) -> Value {
    Value::from(scope.local.index)
}

/// A part of the delivery.
pub(super) fn event<'a>(scope: &Scope<'a>, root: &str) -> &'a Value {
    scope.local.event.and_then(|event| event.get(root)).unwrap_or(&NULL)
}

/// `error` as an object of all its fields, with null for what the error does not say.
pub(super) fn error(scope: &Scope<'_>) -> Value {
    scope.local.error.map_or(Value::Null, |error| {
        json!({
            "node": error.node.as_ref().map(NodeId::as_str),
            "message": error.message,
            "code": error.code,
        })
    })
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
