//! Which variables an expression needs, and how they are handed to it without copying what it does not read.

use std::collections::{BTreeMap, HashMap};

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::Val;
use serde_json::Value;

use super::scope::Scope;
use crate::names::NodeId;
use crate::workflow::expression::path::{
    Path, Root, Step, callback_of, error, event, execution, index, item, node_output, node_status,
};

/// A value as CEL takes it, borrowing its text from the JSON.
pub(super) type CelBox<'v> = Box<dyn Val + 'v>;

/// Which parts of the scope a CEL program needs.
#[derive(Debug, Default)]
pub(super) struct Plan {
    input: Option<Wanted>,
    nodes: BTreeMap<NodeId, WantedNode>,
    execution: bool,
    item: Option<Wanted>,
    index: bool,
    error: bool,
    event: BTreeMap<&'static str, Wanted>,
}

#[derive(Debug, Default)]
struct WantedNode {
    output: Option<Wanted>,
    status: bool,
    callback_url: bool,
}

/// Which fields of a value are wanted, or all of it.
#[derive(Debug, Default)]
struct Wanted {
    whole: bool,
    fields: BTreeMap<String, Wanted>,
}

impl Plan {
    /// Adds a path.
    pub(super) fn want(&mut self, path: &Path) {
        match &path.root {
            Root::Input => self.input.get_or_insert_default().want(&path.steps),
            Root::Execution => self.execution = true,
            Root::Item => self.item.get_or_insert_default().want(&path.steps),
            Root::Index => self.index = true,
            Root::Error => self.error = true,
            Root::Event(root) => self.event.entry(root).or_default().want(&path.steps),
            Root::NodeStatus(id) => self.nodes.entry(id.clone()).or_default().status = true,
            Root::NodeCallbackUrl(id) => self.nodes.entry(id.clone()).or_default().callback_url = true,
            Root::NodeOutput(id) => {
                self.nodes.entry(id.clone()).or_default().output.get_or_insert_default().want(&path.steps);
            }
            Root::Node(id) => {
                let node = self.nodes.entry(id.clone()).or_default();
                node.status = true;
                node.output.get_or_insert_default().whole = true;
            }
        }
    }

    /// The variables of the program, filled from the scope.
    pub(super) fn variables<'v>(&'v self, scope: &Scope<'v>) -> Vec<(&'static str, CelBox<'v>)> {
        let mut variables = Vec::with_capacity(6);
        if let Some(wanted) = &self.input {
            variables.push(("input", wanted.convert(&scope.context.input)));
        }
        if !self.nodes.is_empty() {
            let nodes: HashMap<CelMapKey<'v>, CelBox<'v>> =
                self.nodes.iter().map(|(id, node)| (id.as_str().into(), node.convert(scope, id))).collect();
            variables.push(("nodes", Box::new(CelMap::from(nodes))));
        }
        if self.execution {
            variables.push(("execution", owned(execution(scope))));
        }
        if let Some(wanted) = &self.item {
            variables.push(("item", wanted.convert(item(scope))));
        }
        if self.index {
            variables.push(("index", owned(index(scope))));
        }
        if self.error {
            variables.push(("error", owned(error(scope))));
        }
        for (root, wanted) in &self.event {
            variables.push((root, wanted.convert(event(scope, root))));
        }
        variables
    }
}

impl WantedNode {
    fn convert<'v>(&'v self, scope: &Scope<'v>, id: &NodeId) -> CelBox<'v> {
        let mut fields: HashMap<CelMapKey<'v>, CelBox<'v>> = HashMap::with_capacity(3);
        if let Some(wanted) = &self.output {
            fields.insert("output".into(), wanted.convert(node_output(scope, id)));
        }
        if self.status {
            fields.insert("status".into(), owned(node_status(scope, id)));
        }
        if self.callback_url {
            fields.insert("callbackUrl".into(), owned(callback_of(scope, id)));
        }
        Box::new(CelMap::from(fields))
    }
}

impl Wanted {
    /// Stops at the first index: what is below a list is taken with the list.
    fn want(&mut self, steps: &[Step]) {
        match steps.split_first() {
            Some((Step::Field(field), rest)) => self.fields.entry(field.clone()).or_default().want(rest),
            Some((Step::Index(_), _)) | None => self.whole = true,
        }
    }

    /// A field that is missing in the JSON is missing in the result, so that CEL reports it.
    fn convert<'v>(&'v self, value: &'v Value) -> CelBox<'v> {
        match value {
            Value::Object(object) if !self.whole => {
                let fields: HashMap<CelMapKey<'v>, CelBox<'v>> = self
                    .fields
                    .iter()
                    .filter_map(|(field, wanted)| {
                        object.get(field).map(|value| (field.as_str().into(), wanted.convert(value)))
                    })
                    .collect();
                Box::new(CelMap::from(fields))
            }
            value => borrowed(value),
        }
    }
}

fn borrowed(value: &Value) -> CelBox<'_> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(flag) => Box::new(CelBool::from(*flag)),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(int), _) => Box::new(CelInt::from(int)),
            (None, Some(uint)) => Box::new(CelUInt::from(uint)),
            (None, None) => Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN))),
        },
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(items) => Box::new(CelList::from(items.iter().map(borrowed).collect::<Vec<_>>())),
        Value::Object(fields) => Box::new(CelMap::from(
            fields
                .iter()
                .map(|(field, value)| (CelMapKey::from(field.as_str()), borrowed(value)))
                .collect::<HashMap<_, _>>(),
        )),
    }
}

/// For the few values that are made for the occasion: one level of scalars.
fn owned<'v>(value: Value) -> CelBox<'v> {
    match value {
        Value::String(text) => Box::new(CelString::from(text)),
        Value::Object(fields) => Box::new(CelMap::from(
            fields
                .into_iter()
                .map(|(field, value)| (CelMapKey::from(field), owned(value)))
                .collect::<HashMap<_, _>>(),
        )),
        Value::Number(number) => Box::new(CelInt::from(number.as_i64().unwrap_or_default())),
        Value::Bool(flag) => Box::new(CelBool::from(flag)),
        Value::Null | Value::Array(_) => Box::new(CelNull),
    }
}
