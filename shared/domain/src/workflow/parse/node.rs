//! One node of a definition.

use serde_json::Value;

use crate::names::{JobType, NodeId};
use crate::queue::Tier;
use crate::time::DurationMs;
use crate::workflow::definition::{NodeKind, OnError, RetrySpec};
use crate::workflow::execution::JOB_TYPE_RESERVED_PREFIX;
use crate::workflow::expression::Expression;
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::{Faults, Fields, kind};
use crate::workflow::parse::request::{read_expect, read_request};
use crate::workflow::parse::retry::read_retry;
use crate::workflow::parse::suggest::did_you_mean;

/// The fields that every node may have.
const FIELDS: [&str; 11] = [
    "id",
    "type",
    "dependsOn",
    "when",
    "retryCount",
    "retry",
    "timeout",
    "priority",
    "onError",
    "compensate",
    "repeat",
];

/// The node types that work.
const TYPES: [&str; 3] = ["SERVICE_TASK", "HTTP", "TRANSFORM"];

/// The node types of the format that do not work yet.
const TYPES_LATER: [&str; 7] = ["TIMER", "SIGNAL", "USER_TASK", "MAP", "WORKFLOW", "SWITCH", "WAIT_WEBHOOK"];

/// A node as far as it could be read. What is `None` was reported, or was absent.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) id: Option<NodeId>,
    pub(super) kind: Option<NodeKind>,
    pub(super) depends_on: Vec<NodeId>,
    pub(super) when: Option<Expression>,
    pub(super) retry: Option<RetrySpec>,
    pub(super) timeout: Option<DurationMs>,
    pub(super) priority: Option<Tier>,
    pub(super) on_error: OnError,
}

/// Reads the node at `pointer`.
pub(super) fn read_node(value: &Value, pointer: &str, compiler: &mut Compiler<'_>) -> Draft {
    let Some(node) = Fields::of(value, pointer, compiler.faults) else {
        return Draft::default();
    };
    for field in ["compensate", "repeat"] {
        if node.get(field).is_some() {
            compiler
                .faults
                .add(node.at(field), format!("`{field}` is not supported by this version of Trunkline"));
        }
    }
    Draft {
        id: read_id(&node, compiler.faults),
        kind: read_kind(&node, compiler),
        depends_on: read_depends_on(&node, compiler.faults),
        when: node
            .text("when", compiler.faults)
            .and_then(|source| compiler.expression(source, &node.at("when"))),
        retry: read_retry(&node, compiler.faults),
        timeout: node.timeout("timeout", compiler.faults),
        priority: read_priority(&node, compiler.faults),
        on_error: read_on_error(&node, compiler.faults),
    }
}

fn read_id(node: &Fields<'_>, faults: &mut Faults) -> Option<NodeId> {
    node.required("id", faults)?;
    let text = node.text("id", faults)?;
    NodeId::parse(text).map_err(|fault| faults.add(node.at("id"), fault.to_string())).ok()
}

fn read_kind(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    node.required("type", compiler.faults)?;
    match node.text("type", compiler.faults)? {
        "SERVICE_TASK" => {
            refuse_unknown(node, &["jobType", "input"], compiler.faults);
            let job_type = read_job_type(node, compiler.faults);
            let input = node.get("input").map(|input| compiler.template(input, &node.at("input")));
            let input = match input {
                Some(compiled) => Some(compiled?),
                None => None,
            };
            Some(NodeKind::ServiceTask { job_type: job_type?, input })
        }
        "HTTP" => {
            refuse_unknown(node, &["request", "expect"], compiler.faults);
            let request = read_request(node, compiler);
            let expect = read_expect(node, compiler);
            Some(NodeKind::Http { request: request?, expect: expect? })
        }
        "TRANSFORM" => {
            refuse_unknown(node, &["output"], compiler.faults);
            let output = node.required("output", compiler.faults)?;
            Some(NodeKind::Transform { output: compiler.template(output, &node.at("output"))? })
        }
        later if TYPES_LATER.contains(&later) => {
            let message = format!("node type {later} is not supported by this version of Trunkline");
            compiler.faults.add(node.at("type"), message);
            None
        }
        unknown => {
            let hint = did_you_mean(unknown, TYPES.into_iter().chain(TYPES_LATER));
            let message =
                format!("unknown node type `{unknown}`, expected one of {}{hint}", TYPES.join(", "));
            compiler.faults.add(node.at("type"), message);
            None
        }
    }
}

fn refuse_unknown(node: &Fields<'_>, own: &[&str], faults: &mut Faults) {
    let known: Vec<&str> = FIELDS.iter().chain(own).copied().collect();
    node.refuse_unknown(&known, faults);
}

fn read_job_type(node: &Fields<'_>, faults: &mut Faults) -> Option<JobType> {
    node.required("jobType", faults)?;
    let text = node.text("jobType", faults)?;
    if text.starts_with(JOB_TYPE_RESERVED_PREFIX) {
        faults.add(
            node.at("jobType"),
            format!("job types that start with `{JOB_TYPE_RESERVED_PREFIX}` are reserved"),
        );
        return None;
    }
    JobType::parse(text).map_err(|fault| faults.add(node.at("jobType"), fault.to_string())).ok()
}

fn read_depends_on(node: &Fields<'_>, faults: &mut Faults) -> Vec<NodeId> {
    let mut depends_on: Vec<NodeId> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (index, item) in node.list("dependsOn", faults).unwrap_or_default().iter().enumerate() {
        let pointer = format!("{}/{index}", node.at("dependsOn"));
        match item.as_str().map(NodeId::parse) {
            Some(Ok(id)) => {
                if !seen.insert(id.clone()) {
                    faults.add(pointer, format!("`{id}` is listed twice"));
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
        let hint = did_you_mean(text, Tier::ALL.map(Tier::as_str));
        faults.add(node.at("priority"), format!("expected high, normal or low{hint}"));
    }
    tier
}

fn read_on_error(node: &Fields<'_>, faults: &mut Faults) -> OnError {
    match node.get("onError") {
        None => OnError::Fail,
        Some(Value::String(text)) if text == "fail" => OnError::Fail,
        Some(Value::String(text)) if text == "continue" => OnError::Continue,
        Some(Value::Object(target)) if target.contains_key("goto") => {
            faults
                .add(node.at("onError"), "`onError` with goto is not supported by this version of Trunkline");
            OnError::Fail
        }
        Some(_) => {
            faults.add(node.at("onError"), "expected \"fail\" or \"continue\"");
            OnError::Fail
        }
    }
}
