//! What expressions see of an execution, and the part of it that CEL is given.
//!
//! Only what an expression refers to is converted, so that a large output costs nothing where it is not read.

use std::sync::LazyLock;

use serde_json::Value;
use uuid::Uuid;

use crate::id::Id;
use crate::names::{TENANT_DEFAULT, TenantName, WorkflowName};
use crate::queue::Tier;
use crate::time::Timestamp;
use crate::workflow::callback::CallbackBase;
use crate::workflow::execution::{ExecutionContext, ExecutionError, ExecutionState, Outputs};
use crate::workflow::expression::allowance::Allowance;

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

impl ExecutionContext {
    /// What stands in for an execution where there is none, for expressions that have this allowance together.
    pub(crate) fn absent(allowance: Allowance) -> Self {
        Self { allowance, ..NO_EXECUTION.0.clone() }
    }
}

impl<'a> Scope<'a> {
    /// What an expression sees before an execution starts: its input.
    pub fn with_input<T>(input: &Value, read: impl FnOnce(&Scope<'_>) -> T) -> T {
        let (none, state, outputs) = &*NO_EXECUTION;
        let context = ExecutionContext { input: input.clone(), ..none.clone() };
        read(&Scope { context: &context, state, outputs, local: Local::default() })
    }

    /// What a trigger of a webhook sees: the fields of `event`, for expressions that were compiled with
    /// [`Variables::EVENT`](super::Variables::EVENT). Each has its own bounds and no others.
    pub fn of_event(event: &'a Value) -> Self {
        Self::of_event_in(event, &NO_EXECUTION.0)
    }

    /// The same, with [what stands in for an execution](ExecutionContext::absent).
    pub(crate) fn of_event_in(event: &'a Value, context: &'a ExecutionContext) -> Self {
        let (_, state, outputs) = &*NO_EXECUTION;
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
