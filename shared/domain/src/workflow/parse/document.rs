//! The definition as a whole.

use serde_json::Value;

use crate::limits::LIMIT_MAX;
use crate::names::WorkflowName;
use crate::rate::Rate;
use crate::workflow::definition::{Definition, Node, NodeKind};
use crate::workflow::expression::Variables;
use crate::workflow::parse::attributes::{read_attributes, refuse_undeclared};
use crate::workflow::parse::bounds::VERSION_MAX;
use crate::workflow::parse::expressions::{Compiler, Mention, Reader};
use crate::workflow::parse::fields::{Faults, Fields};
use crate::workflow::parse::graph::read_graph;
use crate::workflow::parse::input_schema::read_schema;
use crate::workflow::parse::node::{Draft, finish, read_node};
use crate::workflow::parse::read::DefinitionLimits;
use crate::workflow::parse::retry::read_retry;
use crate::workflow::parse::unique::read_unique;

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
    let input_schema = document.get("input").cloned();
    let input_check = input_schema.as_ref().and_then(|schema| read_schema(schema, "/input", faults));
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
        input_schema,
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
