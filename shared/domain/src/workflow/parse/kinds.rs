//! What a node, an item of a `MAP` or a compensation does.
//!
//! The type says which types and fields may stand where. `request` reads what an HTTP node sends and what is done for
//! each item of a list, `waiting` the types that wait: for the clock, a signal, a callback, an event, or people.

mod request;
mod waiting;

use serde_json::Value;

use super::failure::read_retry;
use crate::names::{JobType, WorkflowName};
use crate::workflow::definition::{MapSpec, NodeKind, OnItemError, SwitchCase, Task};
use crate::workflow::execution::JOB_TYPE_RESERVED_PREFIX;
use crate::workflow::expression::{Template, Variables};
use crate::workflow::parse::bounds::{MAP_ITEMS_MAX, VERSION_MAX};
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::failure::{Goto, read_goto};
use crate::workflow::parse::fields::{Faults, Fields, did_you_mean, kind};
use request::{read_expect, read_request};

pub(crate) use request::{METHODS, is_http};

// The type, and which types and fields may stand where.

/// All node types.
const TYPES: [&str; 11] = [
    "SERVICE_TASK",
    "HTTP",
    "TRANSFORM",
    "TIMER",
    "SIGNAL",
    "USER_TASK",
    "MAP",
    "WORKFLOW",
    "SWITCH",
    "WAIT_WEBHOOK",
    "WAIT_EVENT",
];

/// The types that a `MAP` can do for each item.
const ITEM_TYPES: [&str; 4] = ["SERVICE_TASK", "HTTP", "TRANSFORM", "WORKFLOW"];

/// The types that can undo a node.
const COMPENSATION_TYPES: [&str; 3] = ["SERVICE_TASK", "HTTP", "TRANSFORM"];

/// The fields that every node may have.
const NODE_FIELDS: [&str; 15] = [
    "id",
    "type",
    "dependsOn",
    "when",
    "retryCount",
    "retry",
    "timeout",
    "expiresIn",
    "concurrencyKey",
    "rateKey",
    "attributes",
    "priority",
    "onError",
    "compensate",
    "repeat",
];

/// The fields that whatever is no node of its own may have.
const TASK_FIELDS: [&str; 4] = ["type", "retryCount", "retry", "timeout"];

/// Where something to do stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::workflow::parse) enum Place {
    /// In `nodes` or `onFailure`.
    Node,
    /// In the `node` of a `MAP`.
    Item,
    /// In `compensate`.
    Compensation,
}

impl Place {
    const fn types(self) -> &'static [&'static str] {
        match self {
            Self::Node => &TYPES,
            Self::Item => &ITEM_TYPES,
            Self::Compensation => &COMPENSATION_TYPES,
        }
    }

    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Node => &NODE_FIELDS,
            Self::Item | Self::Compensation => &TASK_FIELDS,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Node => "a node",
            Self::Item => "the `node` of a MAP",
            Self::Compensation => "`compensate`",
        }
    }
}

/// Reads the type and what belongs to it. Where a `SWITCH` leads is added to `gotos`.
pub(in crate::workflow::parse) fn read_kind(
    owner: &Fields<'_>,
    place: Place,
    gotos: &mut Vec<Goto>,
    compiler: &mut Compiler<'_>,
) -> Option<NodeKind> {
    owner.required("type", compiler.faults)?;
    let name = owner.text("type", compiler.faults)?;
    if !place.types().contains(&name) {
        refuse_type(owner, name, place, compiler.faults);
        return None;
    }
    refuse_unknown(owner, name, place, compiler.faults);
    match name {
        "SERVICE_TASK" => read_service_task(owner, compiler),
        "HTTP" => read_http(owner, compiler),
        "TRANSFORM" => read_transform(owner, compiler),
        "TIMER" => waiting::read_timer(owner, compiler),
        "SIGNAL" => waiting::read_signal(owner, compiler.faults),
        "USER_TASK" => Some(waiting::read_user_task(owner, compiler)),
        "MAP" => read_map(owner, compiler),
        "WORKFLOW" => read_workflow(owner, compiler),
        "SWITCH" => Some(read_switch(owner, gotos, compiler)),
        "WAIT_EVENT" => waiting::read_wait_event(owner, compiler),
        _ => Some(NodeKind::WaitWebhook),
    }
}

/// The fields of a type that other types do not have.
fn own_fields(name: &str) -> &'static [&'static str] {
    match name {
        "SERVICE_TASK" => &["jobType", "input"],
        "HTTP" => &["request", "expect"],
        "TRANSFORM" => &["output"],
        "TIMER" => &["duration", "until"],
        "SIGNAL" => &["signal"],
        "USER_TASK" => &["assignee", "group", "input", "form", "dueIn", "escalation"],
        "MAP" => &["items", "concurrency", "onItemError", "node"],
        "WORKFLOW" => &["workflow", "version", "input"],
        "SWITCH" => &["cases", "default"],
        "WAIT_EVENT" => &["event", "match", "filter", "lookback"],
        _ => &[],
    }
}

fn refuse_type(owner: &Fields<'_>, name: &str, place: Place, faults: &mut Faults) {
    let expected = place.types().join(", ");
    let message = if TYPES.contains(&name) {
        format!("{} cannot be a {name}, only one of {expected}", place.name())
    } else {
        let hint = did_you_mean(name, place.types().iter().copied());
        format!("unknown node type `{name}`, expected one of {expected}{hint}")
    };
    faults.add(owner.at("type"), message);
}

fn refuse_unknown(owner: &Fields<'_>, name: &str, place: Place, faults: &mut Faults) {
    let known: Vec<&str> = place.fields().iter().chain(own_fields(name)).copied().collect();
    for (field, _) in owner.iter().filter(|(field, _)| !known.contains(field)) {
        let message = if place != Place::Node && NODE_FIELDS.contains(&field) {
            format!("unknown field `{field}`: {} has none, only the node around it", place.name())
        } else if let Some(other) = TYPES.into_iter().find(|other| own_fields(other).contains(&field)) {
            let hint = did_you_mean(field, known.iter().copied());
            format!("unknown field `{field}`: it is a field of {other}, not of {name}{hint}")
        } else {
            format!("unknown field `{field}`{}", did_you_mean(field, known.iter().copied()))
        };
        faults.rule(owner.at(field), message);
    }
}

// `SWITCH`.

/// Reads a `SWITCH`; where it leads is added to `gotos`.
fn read_switch(node: &Fields<'_>, gotos: &mut Vec<Goto>, compiler: &mut Compiler<'_>) -> NodeKind {
    node.required("cases", compiler.faults);
    let listed = node.list("cases", compiler.faults);
    if listed.is_some_and(<[Value]>::is_empty) {
        compiler.faults.rule(node.at("cases"), "a SWITCH needs at least one case");
    }
    let listed = listed.unwrap_or_default();
    let mut cases: Vec<SwitchCase> = Vec::with_capacity(listed.len());
    for (index, case) in listed.iter().enumerate() {
        let Some(case) = Fields::of(case, format!("{}/{index}", node.at("cases")), compiler.faults) else {
            continue;
        };
        if let Some(read) = read_case(&case, gotos, compiler) {
            refuse_repeated(&read, &case, &cases, compiler);
            cases.push(read);
        }
    }
    let default = read_goto(node, "default", gotos, compiler.faults);
    NodeKind::Switch { cases, default }
}

fn read_case(case: &Fields<'_>, gotos: &mut Vec<Goto>, compiler: &mut Compiler<'_>) -> Option<SwitchCase> {
    case.refuse_unknown(&["when", "goto"], compiler.faults);
    case.required("when", compiler.faults);
    case.required("goto", compiler.faults);
    let when = compiler.expression_of(case, "when");
    let goto = read_goto(case, "goto", gotos, compiler.faults);
    Some(SwitchCase { when: when?, goto: goto? })
}

/// The first case that is true is taken, so that one with the condition of an earlier one never is. It is a slip.
fn refuse_repeated(
    read: &SwitchCase,
    case: &Fields<'_>,
    earlier: &[SwitchCase],
    compiler: &mut Compiler<'_>,
) {
    let repeats = |before: &SwitchCase| before.when.source().trim() == read.when.source().trim();
    if let Some(before) = earlier.iter().position(repeats) {
        compiler.faults.rule(case.at("when"), format!("never taken: case {before} has the same condition"));
    }
}

// `WORKFLOW`.

/// Reads a `WORKFLOW`. Whether there is such a workflow is seen when the child starts: it may be registered later.
fn read_workflow(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    node.required("workflow", compiler.faults);
    let version = node.whole("version", 1..=VERSION_MAX, compiler.faults);
    let input = compiler.template_of(node, "input");
    let text = node.text("workflow", compiler.faults)?;
    let workflow = WorkflowName::parse(text)
        .map_err(|fault| compiler.faults.add(node.at("workflow"), fault.to_string()))
        .ok()?;
    Some(NodeKind::Workflow { workflow, version, input })
}

// `SERVICE_TASK`, `HTTP` and `TRANSFORM`.

/// Reads a `SERVICE_TASK`.
fn read_service_task(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    let job_type = read_job_type(node, compiler.faults);
    let input = compiler.template_of(node, "input");
    Some(NodeKind::ServiceTask { job_type: job_type?, input })
}

/// Reads an `HTTP` node.
fn read_http(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    let request = read_request(node, compiler);
    let expect = read_expect(node, compiler);
    let (request, sealed) = request?;
    Some(NodeKind::Http { request, sealed, expect: expect? })
}

/// Reads a `TRANSFORM`.
fn read_transform(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    node.required("output", compiler.faults)?;
    Some(NodeKind::Transform { output: compiler.template_of(node, "output")? })
}

fn read_job_type(node: &Fields<'_>, faults: &mut Faults) -> Option<JobType> {
    node.required("jobType", faults)?;
    let text = node.text("jobType", faults)?;
    if text.starts_with(JOB_TYPE_RESERVED_PREFIX) && !faults.is_stored() {
        faults.add(
            node.at("jobType"),
            format!("job types that start with `{JOB_TYPE_RESERVED_PREFIX}` are reserved"),
        );
        return None;
    }
    JobType::parse(text).map_err(|fault| faults.add(node.at("jobType"), fault.to_string())).ok()
}

/// Reads a `MAP`.
fn read_map(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    node.required("items", compiler.faults);
    node.required("node", compiler.faults);
    let items = read_items(node, compiler);
    let concurrency = node.whole("concurrency", 1..=MAP_ITEMS_MAX, compiler.faults);
    let on_item_error = read_on_item_error(node, compiler.faults);
    let outer = compiler.variables;
    compiler.variables = Variables { item: true, ..outer };
    let task = node.object("node", compiler.faults).and_then(|task| read_task(&task, Place::Item, compiler));
    compiler.variables = outer;
    Some(NodeKind::Map(Box::new(MapSpec { items: items?, concurrency, on_item_error, task: task? })))
}

/// Whatever is known not to give a list is refused.
fn read_items(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Template> {
    let value = node.get("items")?;
    let pointer = node.at("items");
    let items = compiler.template(value, &pointer)?;
    let count = match &items {
        Template::Expression(_) => 0,
        Template::List(list) => list.len(),
        Template::Literal(Value::Array(list)) => list.len(),
        Template::Text(_) => {
            let message = "text around an expression makes text, not a list; write \"${…}\" alone";
            compiler.faults.add(pointer, message);
            return None;
        }
        Template::Literal(_) | Template::Object(_) => {
            let message = format!("expected a list or one expression that gives one, found {}", kind(value));
            compiler.faults.add(pointer, message);
            return None;
        }
    };
    if count > MAP_ITEMS_MAX as usize {
        compiler
            .faults
            .add(pointer, format!("a MAP has at most {MAP_ITEMS_MAX} items, this one has {count}"));
        return None;
    }
    Some(items)
}

fn read_on_item_error(node: &Fields<'_>, faults: &mut Faults) -> OnItemError {
    match node.text("onItemError", faults) {
        None | Some("fail") => OnItemError::Fail,
        Some("collect") => OnItemError::Collect,
        Some(other) => {
            let hint = did_you_mean(other, ["fail", "collect"]);
            faults.add(node.at("onItemError"), format!("expected \"fail\" or \"collect\"{hint}"));
            OnItemError::Fail
        }
    }
}

/// Reads a task. Its retries are its own only; those of the node and of the definition are filled in later.
pub(super) fn read_task(task: &Fields<'_>, place: Place, compiler: &mut Compiler<'_>) -> Option<Task> {
    // None of the types that a task may have leads anywhere.
    let kind = read_kind(task, place, &mut Vec::new(), compiler);
    let retry = read_retry(task, compiler.faults);
    let timeout = task.timeout("timeout", compiler.faults);
    Some(Task { kind: kind?, retry, timeout })
}
