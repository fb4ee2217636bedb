//! The definition as a whole: its fields, its input's schema, what is unique, and warnings.

use serde_json::Value;

use super::expressions::read_schema;
use crate::error::Fault;
use crate::limits::LIMIT_MAX;
use crate::names::WorkflowName;
use crate::rate::Rate;
use crate::workflow::definition::{DefinedAttribute, Definition, Node, NodeKind};
use crate::workflow::expression::Variables;
use crate::workflow::parse::attributes::read_attributes;
use crate::workflow::parse::bounds::{DefinitionLimits, VERSION_MAX};
use crate::workflow::parse::expressions::{Compiler, Mention, Reader};
use crate::workflow::parse::failure::read_retry;
use crate::workflow::parse::fields::{Faults, Fields, did_you_mean, escape};
use crate::workflow::parse::graph::read_graph;
use crate::workflow::parse::node::{Draft, finish, read_node};
use crate::workflow::unique::{UniquePolicy, UniqueSpec};

/// The fields of a definition.
const FIELDS: [&str; 12] = [
    "name",
    "version",
    "input",
    "limits",
    "unique",
    "attributes",
    "timeout",
    "expiresIn",
    "retry",
    "nodes",
    "output",
    "onFailure",
];

/// Reads the definition. `None` where something that it cannot do without is missing or wrong; every fault is
/// reported, also where a definition is returned.
pub(super) fn read_definition(
    value: &Value,
    limits: &DefinitionLimits,
    faults: &mut Faults,
) -> Option<Definition> {
    let document = Fields::of(value, "", faults)?;
    document.refuse_unknown(&FIELDS, faults);
    let name = read_name(&document, faults);
    document.required("version", faults);
    let version = document.whole("version", 1..=VERSION_MAX, faults);
    let input_check = document.get("input").and_then(|schema| read_schema(schema, "/input", faults));
    let (max_concurrent, rate) = read_limits(&document, faults);
    let timeout = document.timeout("timeout", faults);
    let expires_in = document.expires_in(faults);
    let retry = read_retry(&document, faults);

    let mut compiler = Compiler::new(limits.expression_bytes_max, faults);
    let output = compiler.template_of(&document, "output");
    let unique = read_unique(&document, &mut compiler);
    let attributes = read_attributes(&document, &mut compiler);
    let (drafts, on_failure_from) = read_nodes(&document, limits.nodes_max, &mut compiler);
    refuse_undeclared(&drafts, &attributes, &mut compiler);
    let mentions: Vec<Mention> = std::mem::take(&mut compiler.mentions);
    let graph = read_graph(&drafts, on_failure_from, &mentions, faults);
    if !faults.is_empty() {
        return None;
    }
    let nodes: Option<Vec<Node>> = drafts.into_iter().map(|draft| finish(draft, retry)).collect();
    let nodes = nodes?;
    let waits = nodes.iter().enumerate().filter(|(_, node)| matches!(node.kind, NodeKind::WaitEvent(_)));
    Some(Definition {
        event_waits: waits.map(|(index, _)| index).collect(),
        name: name?,
        version: version?,
        input_check,
        max_concurrent,
        rate,
        unique,
        attributes,
        timeout,
        expires_in,
        retry,
        nodes,
        on_failure_from,
        output,
        canonical_json: String::new(),
        graph,
    })
}

fn read_name(document: &Fields<'_>, faults: &mut Faults) -> Option<WorkflowName> {
    document.required("name", faults)?;
    let text = document.text("name", faults)?;
    WorkflowName::parse(text).map_err(|fault| faults.add(document.at("name"), fault.to_string())).ok()
}

fn read_limits(document: &Fields<'_>, faults: &mut Faults) -> (Option<u32>, Option<Rate>) {
    let Some(limits) = document.object("limits", faults) else {
        return (None, None);
    };
    limits.refuse_unknown(&["maxConcurrent", "rate"], faults);
    let rate = limits.get("rate").and_then(|value| {
        let rate: Result<Rate, _> = serde_json::from_value(value.clone());
        rate.map_err(|fault| faults.add(limits.at("rate"), fault.to_string())).ok()
    });
    (limits.whole("maxConcurrent", 1..=LIMIT_MAX, faults), rate)
}

/// Reads `nodes`, and after them those of `onFailure`, which begin at the number that is returned.
fn read_nodes(document: &Fields<'_>, nodes_max: usize, compiler: &mut Compiler<'_>) -> (Vec<Draft>, usize) {
    document.required("nodes", compiler.faults);
    let main = document.list("nodes", compiler.faults);
    if main.is_some_and(<[Value]>::is_empty) {
        compiler.faults.rule("/nodes", "a workflow needs at least one node");
    }
    let main = main.unwrap_or_default();
    let on_failure = document.list("onFailure", compiler.faults).unwrap_or_default();
    let count = main.len() + on_failure.len();
    if count > nodes_max {
        let (pointer, with) = if main.len() > nodes_max {
            ("/nodes", "")
        } else {
            ("/onFailure", ", those of onFailure included")
        };
        compiler
            .faults
            .add(pointer, format!("a workflow has at most {nodes_max} nodes{with}; this one has {count}"));
        return (Vec::new(), 0);
    }
    let mut drafts = Vec::with_capacity(count);
    for (list, nodes) in [("nodes", main), ("onFailure", on_failure)] {
        let is_on_failure = list == "onFailure";
        compiler.variables = Variables { error: is_on_failure, ..Variables::default() };
        for (place, node) in nodes.iter().enumerate() {
            compiler.reader = Reader::Node(drafts.len());
            drafts.push(read_node(node, format!("/{list}/{place}"), is_on_failure, compiler));
        }
    }
    (drafts, main.len())
}

// `unique`: the key of executions, and what is done while one with it is open.

/// Reads `unique`. Its key is known before anything has run, so it reads the input alone.
pub(super) fn read_unique(document: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<UniqueSpec> {
    let unique = document.object("unique", compiler.faults)?;
    unique.refuse_unknown(&["key", "policy"], compiler.faults);
    unique.required("key", compiler.faults)?;
    let before = compiler.mentions.len();
    let key = compiler.text_template_of(&unique, "key");
    if compiler.mentions.len() > before {
        compiler.mentions.truncate(before);
        compiler.faults.rule(unique.at("key"), "the key of an execution can only use `input`");
    }
    let policy = read_policy(&unique, compiler);
    Some(UniqueSpec { key: key?, policy: policy? })
}

fn read_policy(unique: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<UniquePolicy> {
    if unique.get("policy").is_none() {
        return Some(UniquePolicy::default());
    }
    let text = unique.text("policy", compiler.faults)?;
    let policy = UniquePolicy::parse(text);
    if policy.is_none() {
        let names = UniquePolicy::NAMES;
        let hint = did_you_mean(text, names);
        compiler.faults.add(unique.at("policy"), format!("expected one of {}{hint}", names.join(", ")));
    }
    policy
}

// What is allowed in a definition and is better done otherwise.

/// Headers whose values are credentials.
const CREDENTIALS: [&str; 4] = ["authorization", "proxy-authorization", "x-api-key", "cookie"];
/// The most warnings of one definition.
const WARNINGS_MAX: usize = 100;

/// Credentials that are written into the definition, where everybody who may read workflows reads them.
pub fn warnings(definition: &Value) -> Vec<Fault> {
    let mut found = Vec::new();
    look(definition, "", &mut found);
    found
}

fn look(value: &Value, pointer: &str, found: &mut Vec<Fault>) {
    match value {
        Value::Object(fields) => {
            if fields.get("type").and_then(Value::as_str) == Some("HTTP") {
                headers(fields.get("request"), pointer, found);
            }
            for (field, value) in fields {
                look(value, &format!("{pointer}/{}", escape(field)), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                look(item, &format!("{pointer}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn headers(request: Option<&Value>, pointer: &str, found: &mut Vec<Fault>) {
    let headers = request.and_then(|request| request.get("headers")).and_then(Value::as_object);
    for (name, value) in headers.into_iter().flatten() {
        let is_credential = CREDENTIALS.iter().any(|known| name.eq_ignore_ascii_case(known));
        let is_literal = value.as_str().is_some_and(|text| !text.is_empty() && !text.contains("${"));
        if is_credential && is_literal && found.len() < WARNINGS_MAX {
            let message =
                "a credential is written into the definition; store it as a secret and write ${secrets.name}";
            found.push(Fault::new(format!("{pointer}/request/headers/{}", escape(name)), message));
        }
    }
}

/// Reports what nodes set and the definition does not declare.
fn refuse_undeclared(drafts: &[Draft], declared: &[DefinedAttribute], compiler: &mut Compiler<'_>) {
    for draft in drafts {
        for (name, _) in &draft.attributes {
            if !declared.iter().any(|one| one.name == *name) {
                let hint = did_you_mean(name.as_str(), declared.iter().map(|one| one.name.as_str()));
                let pointer = format!("{}/attributes/{}", draft.pointer, escape(name.as_str()));
                let message = format!("is not among the `attributes` of the definition{hint}");
                compiler.faults.rule(pointer, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn credentials_in_definitions_are_warned_of() {
        let http = |header: &str, value: &str| json!({"id": "a", "type": "HTTP", "request": {"url": "https://x", "headers": {header: value}}});
        let pointers = |nodes: Value| {
            let found = warnings(&json!({"name": "w", "nodes": nodes}));
            found.into_iter().map(|fault| fault.pointer).collect::<Vec<_>>()
        };
        assert_eq!(
            pointers(json!([http("accept", "x"), http("Authorization", "Bearer abc")])),
            ["/nodes/1/request/headers/Authorization"]
        );
        assert_eq!(
            pointers(json!([{"id": "m", "type": "MAP", "task": http("x-api-key", "abc")}])),
            ["/nodes/0/task/request/headers/x-api-key"]
        );
        for value in ["Bearer ${secrets.api}", "${input.token}", ""] {
            assert!(pointers(json!([http("authorization", value)])).is_empty(), "{value}");
        }
    }
}
