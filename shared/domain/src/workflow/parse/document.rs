//! The definition as a whole.

use serde_json::Value;

use crate::limits::LIMIT_MAX;
use crate::names::WorkflowName;
use crate::workflow::definition::{Definition, Node, RetrySpec};
use crate::workflow::expression::InputSchema;
use crate::workflow::parse::expressions::{Compiler, Mention};
use crate::workflow::parse::fields::{Faults, Fields};
use crate::workflow::parse::graph::read_graph;
use crate::workflow::parse::node::{Draft, read_node};
use crate::workflow::parse::read::DefinitionLimits;
use crate::workflow::parse::retry::{read_retry, with_fallback};

/// The fields of a definition.
const FIELDS: [&str; 9] =
    ["name", "version", "input", "limits", "timeout", "retry", "nodes", "output", "onFailure"];

/// The largest version: what a 32-bit signed column holds.
const VERSION_MAX: u32 = i32::MAX as u32;

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
    let input_schema = document.get("input").cloned();
    let input_check = input_schema.as_ref().and_then(|schema| read_schema(schema, faults));
    let max_concurrent = read_limits(&document, faults);
    let timeout = document.timeout("timeout", faults);
    let retry = read_retry(&document, faults);
    refuse_on_failure(&document, faults);

    let mut compiler = Compiler::new(limits.expression_bytes_max, faults);
    let output = document.get("output").map(|output| compiler.template(output, "/output"));
    let drafts = read_nodes(&document, limits.nodes_max, &mut compiler);
    let mentions: Vec<Mention> = std::mem::take(&mut compiler.mentions);
    let graph = read_graph(&drafts, &mentions, faults);
    if !faults.is_empty() {
        return None;
    }
    let nodes: Option<Vec<Node>> = drafts.into_iter().map(|draft| finish(draft, retry)).collect();
    Some(Definition {
        name: name?,
        version: version?,
        input_schema,
        input_check,
        max_concurrent,
        timeout,
        retry,
        nodes: nodes?,
        output: output.flatten(),
        on_failure: Vec::new(),
        canonical_json: String::new(),
        graph,
    })
}

fn read_name(document: &Fields<'_>, faults: &mut Faults) -> Option<WorkflowName> {
    document.required("name", faults)?;
    let text = document.text("name", faults)?;
    WorkflowName::parse(text).map_err(|fault| faults.add(document.at("name"), fault.to_string())).ok()
}

fn read_schema(schema: &Value, faults: &mut Faults) -> Option<InputSchema> {
    // A bare true or false is a schema as well, but here it is more likely a slip.
    Fields::of(schema, "/input", faults)?;
    match InputSchema::compile(schema) {
        Ok(compiled) => Some(compiled),
        Err(found) => {
            for fault in found {
                let fault = fault.under("/input");
                faults.add(fault.pointer, fault.message);
            }
            None
        }
    }
}

fn read_limits(document: &Fields<'_>, faults: &mut Faults) -> Option<u32> {
    let limits = document.object("limits", faults)?;
    limits.refuse_unknown(&["maxConcurrent"], faults);
    limits.whole("maxConcurrent", 1..=LIMIT_MAX, faults)
}

fn refuse_on_failure(document: &Fields<'_>, faults: &mut Faults) {
    if document.list("onFailure", faults).is_some_and(|nodes| !nodes.is_empty()) {
        faults.add("/onFailure", "`onFailure` is not supported by this version of Trunkline");
    }
}

fn read_nodes(document: &Fields<'_>, nodes_max: usize, compiler: &mut Compiler<'_>) -> Vec<Draft> {
    document.required("nodes", compiler.faults);
    let Some(nodes) = document.list("nodes", compiler.faults) else {
        return Vec::new();
    };
    if nodes.is_empty() {
        compiler.faults.add("/nodes", "a workflow needs at least one node");
    }
    if nodes.len() > nodes_max {
        compiler
            .faults
            .add("/nodes", format!("a workflow has at most {nodes_max} nodes, this one has {}", nodes.len()));
        return Vec::new();
    }
    let mut drafts = Vec::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        compiler.reader = Some(index);
        drafts.push(read_node(node, &format!("/nodes/{index}"), compiler));
    }
    drafts
}

fn finish(draft: Draft, fallback: Option<RetrySpec>) -> Option<Node> {
    Some(Node {
        id: draft.id?,
        kind: draft.kind?,
        depends_on: draft.depends_on,
        when: draft.when,
        retry: with_fallback(draft.retry, fallback),
        timeout: draft.timeout,
        priority: draft.priority,
        on_error: draft.on_error,
    })
}
