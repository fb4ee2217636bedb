//! `WAIT_EVENT`.

use serde_json::Value;

use crate::event::{LOOKBACK_MAX, MatchPath, PATHS_MAX};
use crate::names::EventType;
use crate::time::DurationMs;
use crate::workflow::definition::{EventSpec, NodeKind};
use crate::workflow::expression::{EventScope, Expression, Template, Variables};
use crate::workflow::parse::bounds::EVENTS_MAX;
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::{Faults, Fields, escape};

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
