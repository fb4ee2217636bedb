//! What one call of `advance` works on, and the small steps that all events share.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::definition::{Definition, Node};
use crate::workflow::execution::{
    Decision, Effect, ExecutionContext, ExecutionState, ExecutionStatus, NodeRecord, NodeState, NodeStatus,
    Outputs, TimelineEvent,
};
use crate::workflow::expression::Scope;

/// One event being applied. Nodes are named by their index in the definition.
pub(super) struct Transition<'a> {
    pub(super) definition: &'a Definition,
    pub(super) context: &'a ExecutionContext,
    pub(super) state: &'a mut ExecutionState,
    pub(super) outputs: &'a mut Outputs,
    pub(super) now: Timestamp,
    pub(super) effects: Vec<Effect>,
    /// Nodes whose dependencies are done, to be looked at in the order of the definition.
    pub(super) ready: BTreeSet<usize>,
    pub(super) output: Option<Value>,
}

impl<'a> Transition<'a> {
    pub(super) fn new(
        definition: &'a Definition,
        context: &'a ExecutionContext,
        state: &'a mut ExecutionState,
        outputs: &'a mut Outputs,
        now: Timestamp,
    ) -> Self {
        Self {
            definition,
            context,
            state,
            outputs,
            now,
            effects: Vec::new(),
            ready: BTreeSet::new(),
            output: None,
        }
    }

    pub(super) fn into_decision(self) -> Decision {
        Decision { effects: self.effects, output: self.output }
    }

    pub(super) fn scope(&self) -> Scope<'_> {
        Scope { context: self.context, state: self.state, outputs: self.outputs }
    }

    /// A node of the definition; outlives the borrow of the state.
    pub(super) fn node(&self, index: usize) -> &'a Node {
        &self.definition.nodes[index]
    }

    pub(super) fn node_state(&self, index: usize) -> Option<&NodeState> {
        self.state.nodes.get(&self.definition.nodes[index].id)
    }

    pub(super) fn node_state_mut(&mut self, index: usize) -> Option<&mut NodeState> {
        self.state.nodes.get_mut(&self.definition.nodes[index].id)
    }

    pub(super) fn status_of(&self, index: usize) -> Option<NodeStatus> {
        self.node_state(index).map(|state| state.status)
    }

    /// The execution's timeout counts from now: from its start, and again from each resumption.
    pub(super) fn set_deadline(&mut self) {
        self.state.deadline_at = self.definition.timeout.map(|timeout| self.now.plus(timeout));
    }

    /// Puts the execution into a terminal status.
    pub(super) fn end(&mut self, status: ExecutionStatus) {
        self.state.status = status;
        self.state.deadline_at = None;
        self.ready.clear();
    }

    pub(super) fn emit(&mut self, kind: &'static str, node: Option<&NodeId>, detail: Option<String>) {
        self.effects.push(Effect::Emit(TimelineEvent { kind, node: node.cloned(), detail, at: self.now }));
    }

    /// Records how a node ended, as its state has it.
    pub(super) fn record(&mut self, index: usize, output: Option<Value>) {
        let Some(state) = self.node_state(index) else {
            return;
        };
        let record = NodeRecord {
            node: self.definition.nodes[index].id.clone(),
            round: state.round,
            status: state.status,
            input: None,
            output,
            error: state.error.clone(),
            attempts: state.attempts,
            started_at: state.started_at,
            finished_at: self.now,
        };
        self.effects.push(Effect::RecordNode(record));
    }
}
