//! The type, and which types and fields may stand where.

use crate::workflow::definition::NodeKind;
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::{Faults, Fields};
use crate::workflow::parse::goto::Goto;
use crate::workflow::parse::kinds::{child, event, list, people, switch, waits, work};
use crate::workflow::parse::suggest::did_you_mean;

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
        "SERVICE_TASK" => work::read_service_task(owner, compiler),
        "HTTP" => work::read_http(owner, compiler),
        "TRANSFORM" => work::read_transform(owner, compiler),
        "TIMER" => waits::read_timer(owner, compiler),
        "SIGNAL" => waits::read_signal(owner, compiler.faults),
        "USER_TASK" => Some(people::read_user_task(owner, compiler)),
        "MAP" => list::read_map(owner, compiler),
        "WORKFLOW" => child::read_workflow(owner, compiler),
        "SWITCH" => Some(switch::read_switch(owner, gotos, compiler)),
        "WAIT_EVENT" => event::read_wait_event(owner, compiler),
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
