//! One node of a definition: what every type has in common, and the parts that many have: `goto`, `repeat`, `retry`,
//! its task.

use std::collections::HashSet;

use serde_json::Value;

use super::failure::{Goto, read_on_error, read_retry, with_fallback};
use super::kinds::read_task;
use crate::names::{AttributeName, NodeId};
use crate::queue::Tier;
use crate::time::DurationMs;
use crate::workflow::definition::{JobKeys, Node, NodeKind, OnError, Repeat, RetrySpec, Task};
use crate::workflow::expression::{Expression, Template, Variables};
use crate::workflow::parse::attributes::read_attributes_of_node;
use crate::workflow::parse::bounds::ROUNDS_MAX;
use crate::workflow::parse::expressions::{Compiler, Reader};
use crate::workflow::parse::fields::{Faults, Fields, did_you_mean, kind};
use crate::workflow::parse::kinds::{Place, read_kind};

/// A node as far as it could be read. What is `None` was reported, or was absent.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// Where it stands.
    pub(super) pointer: String,
    pub(super) id: Option<NodeId>,
    pub(super) kind: Option<NodeKind>,
    pub(super) depends_on: Vec<NodeId>,
    pub(super) when: Option<Expression>,
    pub(super) retry: Option<RetrySpec>,
    pub(super) timeout: Option<DurationMs>,
    pub(super) expires_in: Option<DurationMs>,
    pub(super) keys: JobKeys,
    pub(super) attributes: Vec<(AttributeName, Template)>,
    pub(super) priority: Option<Tier>,
    pub(super) on_error: OnError,
    pub(super) compensate: Option<Box<Task>>,
    pub(super) repeat: Option<Repeat>,
    /// Where it leads, beside the nodes that name it.
    pub(super) gotos: Vec<Goto>,
}

/// Reads the node at `pointer`.
pub(super) fn read_node(
    value: &Value,
    pointer: String,
    is_on_failure: bool,
    compiler: &mut Compiler<'_>,
) -> Draft {
    let Some(node) = Fields::of(value, &*pointer, compiler.faults) else {
        return Draft { pointer, ..Draft::default() };
    };
    if is_on_failure && node.get("compensate").is_some() {
        compiler.faults.rule(node.at("compensate"), "what a node of `onFailure` did is never undone");
    }
    let mut gotos = Vec::new();
    let kind = read_kind(&node, Place::Node, &mut gotos, compiler);
    Draft {
        pointer,
        id: read_id(&node, compiler.faults),
        expires_in: read_expires_in(&node, kind.as_ref(), compiler.faults),
        keys: read_keys(&node, kind.as_ref(), compiler),
        attributes: read_attributes_of_node(&node, compiler),
        kind,
        depends_on: read_depends_on(&node, compiler.faults),
        when: compiler.expression_of(&node, "when"),
        retry: read_retry(&node, compiler.faults),
        timeout: node.timeout("timeout", compiler.faults),
        priority: read_priority(&node, compiler.faults),
        on_error: read_on_error(&node, &mut gotos, compiler.faults),
        compensate: read_compensate(&node, compiler),
        repeat: read_repeat(&node, compiler),
        gotos,
    }
}

fn read_id(node: &Fields<'_>, faults: &mut Faults) -> Option<NodeId> {
    node.required("id", faults)?;
    let text = node.text("id", faults)?;
    NodeId::parse(text).map_err(|fault| faults.add(node.at("id"), fault.to_string())).ok()
}

fn read_depends_on(node: &Fields<'_>, faults: &mut Faults) -> Vec<NodeId> {
    let mut depends_on: Vec<NodeId> = Vec::new();
    let mut seen = HashSet::new();
    for (index, item) in node.list("dependsOn", faults).unwrap_or_default().iter().enumerate() {
        let pointer = format!("{}/{index}", node.at("dependsOn"));
        match item.as_str().map(NodeId::parse) {
            Some(Ok(id)) => {
                if !seen.insert(id.clone()) {
                    faults.rule(pointer, format!("`{id}` is listed twice"));
                    continue;
                }
                depends_on.push(id);
            }
            Some(Err(fault)) => faults.add(pointer, fault.to_string()),
            None => faults.add(pointer, format!("expected the id of a node, found {}", kind(item))),
        }
    }
    depends_on
}

fn read_priority(node: &Fields<'_>, faults: &mut Faults) -> Option<Tier> {
    let text = node.text("priority", faults)?;
    let tier = Tier::parse(text);
    if tier.is_none() {
        let hint = did_you_mean(text, Tier::NAMES);
        faults.add(node.at("priority"), format!("expected high, normal or low{hint}"));
    }
    tier
}

/// How long its jobs or its child may wait. Nodes of other types wait for nobody to start them.
fn read_expires_in(node: &Fields<'_>, kind: Option<&NodeKind>, faults: &mut Faults) -> Option<DurationMs> {
    let expires_in = node.expires_in(faults)?;
    let is_started = match kind? {
        NodeKind::Map(map) => !matches!(map.task.kind, NodeKind::Transform { .. }),
        NodeKind::ServiceTask { .. } | NodeKind::Http { .. } | NodeKind::Workflow { .. } => true,
        _ => false,
    };
    if !is_started {
        faults
            .rule(node.at("expiresIn"), "only what runs as a job or as a child execution waits for a start");
    }
    Some(expires_in)
}

/// The keys of its jobs. Those of a `MAP` are made for each item.
fn read_keys(node: &Fields<'_>, kind: Option<&NodeKind>, compiler: &mut Compiler<'_>) -> JobKeys {
    let has_jobs = |kind: &NodeKind| matches!(kind, NodeKind::ServiceTask { .. } | NodeKind::Http { .. });
    let (is_map, is_job) = match kind {
        Some(NodeKind::Map(map)) => (true, has_jobs(&map.task.kind)),
        Some(kind) => (false, has_jobs(kind)),
        // What is wrong with the type is said already.
        None => (false, true),
    };
    let outer = compiler.variables;
    compiler.variables = Variables { item: is_map || outer.item, ..outer };
    let mut key = |field: &str| {
        let template = compiler.text_template_of(node, field)?;
        if !is_job {
            compiler.faults.rule(node.at(field), "only what runs as a job has a key");
        }
        Some(template)
    };
    let keys = JobKeys { concurrency: key("concurrencyKey"), rate: key("rateKey") };
    compiler.variables = outer;
    keys
}

/// The node, with the definition's retries filled in. `None` where it could not be read.
pub(super) fn finish(draft: Draft, fallback: Option<RetrySpec>) -> Option<Node> {
    let mut kind = draft.kind?;
    if let NodeKind::Map(map) = &mut kind {
        // What a MAP says about retries is said of its items: it does nothing else that could be tried again.
        map.task.retry = filled_in(&map.task.kind, with_fallback(map.task.retry, draft.retry), fallback);
    }
    let mut compensate = draft.compensate;
    if let Some(task) = &mut compensate {
        task.retry = filled_in(&task.kind, task.retry, fallback);
    }
    Some(Node {
        id: draft.id?,
        retry: filled_in(&kind, draft.retry, fallback),
        kind,
        depends_on: draft.depends_on,
        when: draft.when,
        timeout: draft.timeout,
        expires_in: draft.expires_in,
        keys: draft.keys,
        attributes: draft.attributes,
        priority: draft.priority,
        on_error: draft.on_error,
        compensate,
        repeat: draft.repeat,
    })
}

/// A child that failed has tried everything itself: another one is started only where the node asks for it.
fn filled_in(kind: &NodeKind, own: Option<RetrySpec>, fallback: Option<RetrySpec>) -> Option<RetrySpec> {
    if matches!(kind, NodeKind::Workflow { .. }) { own } else { with_fallback(own, fallback) }
}

// `repeat`.

/// Reads `repeat` of the node that `compiler` is at. `until` sees the node's own output.
pub(super) fn read_repeat(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Repeat> {
    let repeat = node.object("repeat", compiler.faults)?;
    if node.get("type").is_some_and(|name| name == "SWITCH") {
        compiler.faults.rule(node.at("repeat"), "a SWITCH chooses once; repeat the nodes before it");
    }
    repeat.refuse_unknown(&["until", "max", "delay"], compiler.faults);
    repeat.required("until", compiler.faults);
    repeat.required("max", compiler.faults);
    let rounds_max = repeat.whole("max", 1..=ROUNDS_MAX, compiler.faults);
    let delay = match repeat.get("delay") {
        Some(_) => repeat.delay("delay", compiler.faults),
        None => Some(DurationMs::ZERO),
    };
    let reader = compiler.reader;
    if let Reader::Node(index) = reader {
        compiler.reader = Reader::Until(index);
    }
    let until = compiler.expression_of(&repeat, "until");
    compiler.reader = reader;
    Some(Repeat { until: until?, rounds_max: rounds_max?, delay: delay? })
}

// What is no node of its own: what a `MAP` does for each item, and what undoes a node.

/// Reads `compensate` of the node that `compiler` is at. By the time it runs the execution has failed, so that it may
/// read every node of the workflow: those that did not complete have no output.
pub(super) fn read_compensate(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Box<Task>> {
    let task = node.object("compensate", compiler.faults)?;
    let (reader, variables) = (compiler.reader, compiler.variables);
    if let Reader::Node(index) = reader {
        compiler.reader = Reader::Compensation(index);
    }
    compiler.variables = Variables { error: true, ..variables };
    let task = read_task(&task, Place::Compensation, compiler);
    (compiler.reader, compiler.variables) = (reader, variables);
    task.map(Box::new)
}
