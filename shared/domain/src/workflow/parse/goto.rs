//! Where a node leads: the targets of `SWITCH` and of `onError`.

use serde_json::Value;

use crate::names::NodeId;
use crate::workflow::definition::OnError;
use crate::workflow::parse::fields::{Faults, Fields};
use crate::workflow::parse::suggest::did_you_mean;

/// A target, and where it is named.
#[derive(Debug)]
pub(super) struct Goto {
    /// The node that waits for the one that names it.
    pub(super) target: NodeId,
    /// Where it says so.
    pub(super) pointer: String,
}

/// Reads the id of a target.
pub(super) fn read_goto(
    owner: &Fields<'_>,
    field: &str,
    gotos: &mut Vec<Goto>,
    faults: &mut Faults,
) -> Option<NodeId> {
    let text = owner.text(field, faults)?;
    let target = NodeId::parse(text).map_err(|fault| faults.add(owner.at(field), fault.to_string())).ok()?;
    gotos.push(Goto { target: target.clone(), pointer: owner.at(field) });
    Some(target)
}

/// Reads `onError`.
pub(super) fn read_on_error(node: &Fields<'_>, gotos: &mut Vec<Goto>, faults: &mut Faults) -> OnError {
    match node.get("onError") {
        None => OnError::Fail,
        Some(Value::String(text)) if text == "fail" => OnError::Fail,
        Some(Value::String(text)) if text == "continue" => OnError::Continue,
        Some(Value::Object(_)) => {
            let Some(fields) = node.object("onError", faults) else { return OnError::Fail };
            fields.refuse_unknown(&["goto"], faults);
            fields.required("goto", faults);
            read_goto(&fields, "goto", gotos, faults).map_or(OnError::Fail, OnError::Goto)
        }
        Some(other) => {
            let hint = did_you_mean(other.as_str().unwrap_or_default(), ["fail", "continue"]);
            let message = format!("expected \"fail\" or \"continue\" or {{\"goto\": id}}{hint}");
            faults.add(node.at("onError"), message);
            OnError::Fail
        }
    }
}
