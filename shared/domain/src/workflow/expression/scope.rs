//! What expressions see of an execution, and the part of it that CEL is given.
//!
//! Only what an expression refers to is converted, so that a large output costs nothing where it is not read.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::Val;
use serde_json::Value;
use uuid::Uuid;

use crate::id::Id;
use crate::names::{NodeId, TENANT_DEFAULT, TenantName, WorkflowName};
use crate::queue::Tier;
use crate::time::Timestamp;
use crate::workflow::execution::{CallbackBase, ExecutionContext, ExecutionError, ExecutionState, Outputs};
use crate::workflow::expression::allowance::Allowance;
use crate::workflow::expression::path::{
    Path, Root, Step, callback_of, error, event, execution, index, item, node_output, node_status,
};

/// What expressions see: `input`, `nodes` and `execution` everywhere, and what is in scope only here.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// `input`, and most of `execution`.
    pub context: &'a ExecutionContext,
    /// The status of each node, and when the execution started.
    pub state: &'a ExecutionState,
    /// The outputs of the completed nodes.
    pub outputs: &'a Outputs,
    /// `item`, `index` and `error`.
    pub local: Local<'a>,
}

/// What stands in for the execution where there is none.
static NO_EXECUTION: LazyLock<(ExecutionContext, ExecutionState, Outputs)> = LazyLock::new(|| {
    let context = ExecutionContext {
        id: Id::from_uuid(Uuid::nil()),
        tenant: TenantName::trusted(TENANT_DEFAULT),
        workflow: WorkflowName::trusted("none"),
        version: 0,
        tier: Tier::High,
        input: Value::Null,
        created_at: Timestamp(0),
        depth: 0,
        callbacks: CallbackBase { url: String::new(), key: [0; 32] },
        allowance: Allowance::default(),
    };
    (context, ExecutionState::without_nodes(), Outputs::new())
});

impl<'a> Scope<'a> {
    /// What an expression sees before an execution starts: its input.
    pub fn with_input<T>(input: &Value, read: impl FnOnce(&Scope<'_>) -> T) -> T {
        let (none, state, outputs) = &*NO_EXECUTION;
        let context = ExecutionContext { input: input.clone(), ..none.clone() };
        read(&Scope { context: &context, state, outputs, local: Local::default() })
    }

    /// What a trigger of a webhook sees: the fields of `event`, for expressions that were compiled with
    /// [`Variables::EVENT`](super::Variables::EVENT).
    pub fn of_event(event: &'a Value) -> Self {
        let (context, state, outputs) = &*NO_EXECUTION;
        Self { context, state, outputs, local: Local { event: Some(event), ..Local::default() } }
    }
}

/// What is in scope only in some places; null where it is absent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Local<'a> {
    /// `item` of a `MAP`.
    pub item: Option<&'a Value>,
    /// `index`: the place of the item in its list, from 0.
    pub index: Option<u32>,
    /// `error`: why the execution failed. In scope of compensations and of `onFailure`.
    pub error: Option<&'a ExecutionError>,
    /// The delivery that a trigger of a webhook looks at, as an object of what is in scope there.
    pub event: Option<&'a Value>,
}

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
