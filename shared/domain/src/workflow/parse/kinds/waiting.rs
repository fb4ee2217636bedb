//! Nodes that wait: for people (`USER_TASK`), for events (`WAIT_EVENT`), for the clock (`TIMER`) or a signal
//! (`SIGNAL`). A `WAIT_WEBHOOK` has no fields of its own.

use serde_json::Value;

use crate::event::{LOOKBACK_MAX, MatchPath, PATHS_MAX};
use crate::names::{CallerKey, EventType};
use crate::time::{DurationMs, Timestamp};
use crate::workflow::definition::{Escalation, EventSpec, NodeKind, TimerEnd, UserTaskSpec};
use crate::workflow::expression::{EventScope, Expression, InputSchema, Template, Variables};
use crate::workflow::parse::bounds::EVENTS_MAX;
use crate::workflow::parse::expressions::{Compiler, read_schema};
use crate::workflow::parse::fields::{Faults, Fields, escape};

/// Reads a `USER_TASK`.
pub(super) fn read_user_task(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> NodeKind {
    if node.get("assignee").is_none() && node.get("group").is_none() {
        compiler.faults.rule(node.pointer(), "a USER_TASK needs `assignee` or `group`, or both");
    }
    let due_in = node.delay("dueIn", compiler.faults);
    let escalation = read_escalation(node, compiler);
    let form = read_form(node, compiler);
    NodeKind::UserTask(Box::new(UserTaskSpec {
        assignee: read_who(node, "assignee", compiler),
        group: read_who(node, "group", compiler),
        input: compiler.template_of(node, "input"),
        form,
        due_in,
        escalation,
    }))
}

fn read_escalation(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Escalation> {
    let escalation = node.object("escalation", compiler.faults)?;
    escalation.refuse_unknown(&["after", "assignee", "group"], compiler.faults);
    escalation.required("after", compiler.faults);
    let after = escalation.delay("after", compiler.faults);
    if let (Some(after), Some(timeout)) = (after, node.duration("timeout", &mut Faults::default()))
        && after >= timeout
    {
        let message = "the task is over by its `timeout` before it would be handed on";
        compiler.faults.rule(escalation.at("after"), message);
    }
    Some(Escalation {
        assignee: read_who(&escalation, "assignee", compiler),
        group: read_who(&escalation, "group", compiler),
        after: after?,
    })
}

/// Reads a person or a group.
fn read_who(owner: &Fields<'_>, field: &str, compiler: &mut Compiler<'_>) -> Option<Template> {
    let who = compiler.text_template_of(owner, field)?;
    if matches!(&who, Template::Literal(Value::String(text)) if text.trim().is_empty()) {
        compiler.faults.add(owner.at(field), format!("`{field}` is empty"));
        return None;
    }
    Some(who)
}

fn read_form(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<(Value, InputSchema)> {
    let form = node.get("form")?;
    let compiled = read_schema(form, &node.at("form"), compiler.faults)?;
    Some((form.clone(), compiled))
}

// `WAIT_EVENT`.

/// Reads a `WAIT_EVENT`.
pub(super) fn read_wait_event(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    let events = read_events(node, compiler.faults);
    let matches = read_matches(node, compiler);
    let filter = read_filter(node, compiler);
    let lookback = node.duration("lookback", compiler.faults).unwrap_or(DurationMs::ZERO);
    if lookback > LOOKBACK_MAX {
        compiler.faults.rule(node.at("lookback"), format!("at most an hour ({LOOKBACK_MAX})"));
    }
    Some(NodeKind::WaitEvent(Box::new(EventSpec { events: events?, matches: matches?, filter, lookback })))
}

/// One type, or a list of types.
fn read_events(node: &Fields<'_>, faults: &mut Faults) -> Option<Vec<EventType>> {
    let at = node.at("event");
    let listed: Vec<(String, &Value)> = match node.required("event", faults)? {
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, item)| (format!("{at}/{index}"), item)).collect()
        }
        one => vec![(at.clone(), one)],
    };
    if !(1..=EVENTS_MAX).contains(&listed.len()) {
        faults.add(at, format!("expected 1 to {EVENTS_MAX} event types"));
        return None;
    }
    let mut events: Vec<EventType> = Vec::with_capacity(listed.len());
    for (pointer, item) in &listed {
        let Some(text) = item.as_str() else {
            faults.add(pointer, "expected an event type as text, or a list of them");
            continue;
        };
        if text.contains("${") {
            faults.add(pointer, "the type of an event is plain text; what differs is compared by `match`");
            continue;
        }
        match EventType::parse(text) {
            Ok(event) if events.contains(&event) => faults.add(pointer, "it is there twice"),
            Ok(event) => events.push(event),
            Err(fault) => faults.add(pointer, fault.to_string()),
        }
    }
    (events.len() == listed.len()).then_some(events)
}

/// The paths with what has to stand there, in the order of the paths.
fn read_matches(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Vec<(MatchPath, Template)>> {
    if node.get("match").is_none() {
        return Some(Vec::new());
    }
    let given = node.object("match", compiler.faults)?;
    let count = given.iter().count();
    if count > PATHS_MAX {
        compiler.faults.add(given.pointer(), format!("expected at most {PATHS_MAX} paths"));
        return None;
    }
    let mut matches: Vec<(MatchPath, Template)> = Vec::with_capacity(count);
    for (name, value) in given.iter() {
        let pointer = format!("{}/{}", given.pointer(), escape(name));
        let path = MatchPath::parse(name).map_err(|fault| compiler.faults.add(&*pointer, fault.to_string()));
        let template = compiler.template(value, &pointer);
        let (Ok(path), Some(template)) = (path, template) else { continue };
        if matches.iter().any(|(known, _)| *known == path) {
            compiler.faults.add(&*pointer, "the path is there twice");
            continue;
        }
        matches.push((path, template));
    }
    let is_whole = matches.len() == count;
    matches.sort_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
    is_whole.then_some(matches)
}

/// A condition that sees the delivery beside the execution.
fn read_filter(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Expression> {
    let outer = compiler.variables;
    compiler.variables = Variables { event: EventScope::Beside, ..outer };
    let filter = compiler.expression_of(node, "filter");
    compiler.variables = outer;
    filter
}

// `TIMER` and `SIGNAL`. A `WAIT_WEBHOOK` has no fields of its own.

/// Reads a `TIMER`: exactly one of `duration` and `until`.
pub(super) fn read_timer(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    let end = match (node.get("duration"), node.get("until")) {
        (None, None) => {
            compiler.faults.add(node.pointer(), "a TIMER needs `duration` or `until`");
            None
        }
        (Some(_), Some(_)) => {
            compiler.faults.add(node.at("until"), "a TIMER has `duration` or `until`, not both");
            None
        }
        (Some(_), None) => read_duration(node, compiler),
        (None, Some(_)) => read_until(node, compiler),
    };
    end.map(NodeKind::Timer)
}

fn read_duration(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<TimerEnd> {
    if node.get("duration").and_then(Value::as_str).is_some_and(|text| text.contains("${")) {
        return compiler.text_template_of(node, "duration").map(TimerEnd::DurationOf);
    }
    let duration = node.delay("duration", compiler.faults)?;
    if duration == DurationMs::ZERO {
        compiler.faults.add(node.at("duration"), "a TIMER has to wait longer than zero");
        return None;
    }
    Some(TimerEnd::Duration(duration))
}

fn read_until(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<TimerEnd> {
    let until = compiler.text_template_of(node, "until")?;
    if let Template::Literal(Value::String(text)) = &until
        && Timestamp::parse(text).is_none()
    {
        let message =
            "expected an instant as RFC 3339, such as 2027-01-31T09:00:00Z, or an expression that gives one";
        compiler.faults.add(node.at("until"), message);
        return None;
    }
    Some(TimerEnd::Until(until))
}

/// Reads a `SIGNAL`. Its name is plain text, so that whoever sends it need not know what an execution was made from.
pub(super) fn read_signal(node: &Fields<'_>, faults: &mut Faults) -> Option<NodeKind> {
    node.required("signal", faults)?;
    let text = node.text("signal", faults)?;
    if text.contains("${") {
        faults.add(node.at("signal"), "the name of a signal is plain text, without expressions");
        return None;
    }
    let signal = CallerKey::parse(text).map_err(|fault| faults.add(node.at("signal"), fault.to_string()));
    Some(NodeKind::Signal { signal: signal.ok()? })
}
