//! `TIMER` and `SIGNAL`. A `WAIT_WEBHOOK` has no fields of its own.

use serde_json::Value;

use crate::names::CallerKey;
use crate::time::{DurationMs, Timestamp};
use crate::workflow::definition::{NodeKind, TimerEnd};
use crate::workflow::expression::Template;
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::{Faults, Fields};

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
