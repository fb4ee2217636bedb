//! What one call of `advance` works on, and the small steps that all events share.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::id::{ExecutionId, JobId};
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::definition::{Definition, Node};
use crate::workflow::execution::{
    Decision, Effect, Ending, ExecutionContext, ExecutionState, ExecutionStatus, NodeRecord, NodeState,
    NodeStatus, Outputs, TimelineEvent, TimelineEventKind, Wait,
};
use crate::workflow::expression::{Local, Scope, bytes_of};

/// One event being applied. Nodes are named by their index in the definition; nodes, items and compensations by their
/// key in the state.
pub(super) struct Transition<'a> {
    pub(super) definition: &'a Definition,
    pub(super) context: &'a ExecutionContext,
    pub(super) state: &'a mut ExecutionState,
    pub(super) outputs: &'a mut Outputs,
    pub(super) now: Timestamp,
    pub(super) effects: Vec<Effect>,
    /// Nodes whose dependencies are done, to be looked at in the order of the definition.
    pub(super) ready: BTreeSet<usize>,
    /// Nodes whose next round starts in this event.
    pub(super) again: BTreeSet<usize>,
    pub(super) output: Option<Value>,
    /// How many bytes of JSON the outputs take that were recorded so far.
    pub(super) recorded_bytes: usize,
    /// How many bytes of JSON the inputs take of what was begun so far.
    pub(super) begun_bytes: usize,
    /// The nodes that waited for events before, with their rounds.
    event_waits: Vec<(usize, u32)>,
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
            event_waits: event_waits(definition, state),
            definition,
            context,
            state,
            outputs,
            now,
            effects: Vec::new(),
            ready: BTreeSet::new(),
            again: BTreeSet::new(),
            output: None,
            recorded_bytes: 0,
            begun_bytes: 0,
        }
    }

    pub(super) fn into_decision(mut self) -> Decision {
        let before = std::mem::take(&mut self.event_waits);
        self.close_event_waits(&before);
        let bytes = self.bytes();
        Decision { effects: self.effects, output: self.output, bytes }
    }

    /// How many bytes of JSON the event has brought about so far.
    pub(super) const fn bytes(&self) -> usize {
        self.recorded_bytes + self.begun_bytes
    }

    /// Whether what can wait is left to the next event: this one has brought about much, or its expressions took much.
    pub(super) fn is_full(&self) -> bool {
        let allowance = &self.context.allowance;
        self.bytes() > allowance.limits().effect_bytes_max || allowance.is_low()
    }

    /// What a node's expressions see; `error` only in `onFailure`.
    pub(super) fn scope_of(&self, index: usize) -> Scope<'_> {
        let error = match &self.state.ending {
            Some(Ending::Failed(error)) if self.definition.is_on_failure(index) => Some(error),
            _ => None,
        };
        self.scope(Local { error, ..Local::default() })
    }

    pub(super) fn scope<'s>(&'s self, local: Local<'s>) -> Scope<'s> {
        Scope { context: self.context, state: self.state, outputs: self.outputs, local }
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

    /// Whether nodes of this kind start now: those of `onFailure` while the execution is COMPENSATING, all others while
    /// it is RUNNING.
    pub(super) fn is_live(&self, index: usize) -> bool {
        match self.state.status {
            ExecutionStatus::Running => !self.definition.is_on_failure(index),
            ExecutionStatus::Compensating => self.definition.is_on_failure(index),
            _ => false,
        }
    }

    /// Whether the execution is undoing what completed.
    pub(super) fn is_compensating(&self) -> bool {
        self.state.status == ExecutionStatus::Compensating
    }

    /// The execution's timeout counts from now: from its start, and again from each resumption.
    pub(super) fn set_deadline(&mut self) {
        self.state.deadline_at = self.definition.timeout.map(|timeout| self.now.plus(timeout));
    }

    pub(super) fn emit(&mut self, kind: TimelineEventKind, node: Option<&NodeId>, detail: Option<String>) {
        self.effects.push(Effect::Emit(TimelineEvent { kind, node: node.cloned(), detail, at: self.now }));
    }

    /// Records how a round of a node, an item or a compensation ended.
    pub(super) fn record(&mut self, key: &NodeId, status: NodeStatus, output: Option<Value>) {
        let Some(state) = self.state.nodes.get(key) else {
            return;
        };
        self.recorded_bytes += output.as_ref().map_or(0, bytes_of);
        let record = NodeRecord {
            node: key.clone(),
            round: state.round,
            status,
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

// The ids of what an execution spawns.

/// The id of the job that runs a node, an item or a compensation in a round. Deriving it makes enqueueing twice insert
/// one job.
pub fn node_job_id(execution: ExecutionId, key: &NodeId, round: u32) -> JobId {
    JobId::derive(execution.uuid(), &["node", key.as_str(), &round.to_string()])
}

/// The id of the child that a node or an item starts in a round.
pub fn child_execution_id(execution: ExecutionId, key: &NodeId, round: u32) -> ExecutionId {
    ExecutionId::derive(execution.uuid(), &["child", key.as_str(), &round.to_string()])
}

/// The nodes that wait for events, with their rounds.
pub(super) fn event_waits(definition: &Definition, state: &ExecutionState) -> Vec<(usize, u32)> {
    let waiting = |&index: &usize| {
        let node = state.nodes.get(&definition.nodes[index].id)?;
        is_open(node).then_some((index, node.round))
    };
    definition.event_waits.iter().filter_map(waiting).collect()
}

pub(super) fn is_open(state: &NodeState) -> bool {
    matches!(state.wait, Some(Wait::Event { .. }))
}
