//! `MAP`.

use serde_json::Value;

use crate::workflow::definition::{MapSpec, NodeKind, OnItemError};
use crate::workflow::expression::{Template, Variables};
use crate::workflow::parse::bounds::MAP_ITEMS_MAX;
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::{Faults, Fields, kind};
use crate::workflow::parse::kinds::Place;
use crate::workflow::parse::suggest::did_you_mean;
use crate::workflow::parse::task::read_task;

/// Reads a `MAP`.
pub(super) fn read_map(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
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
