//! Brings a failed execution back: from its failed nodes, or from what was requeued while it undid the others.

use crate::names::NodeId;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::NodeKind;
use crate::workflow::execution::{ExecutionStatus, NodeState, NodeStatus, Refusal, Wait};
use crate::workflow::key::NodeKey;

impl Transition<'_> {
    /// Somebody wants a failed execution to go on: failed, cancelled and undone nodes start again, each as another job.
    ///
    /// One that was failed from outside, because its owners were lost, does not know of it: it goes on from where it
    /// stands, and its timeout counts from now as after any retry.
    pub(super) fn retried(&mut self) -> Result<(), Refusal> {
        match self.state.status {
            ExecutionStatus::Failed => {
                self.emit("execution_retried", None, None);
                self.reopen();
            }
            ExecutionStatus::Running => {
                self.emit("execution_retried", None, None);
                self.set_deadline();
            }
            status => return Err(Refusal::NotFailed(status.as_str())),
        }
        Ok(())
    }

    /// What completed is undone, and dead letters were requeued meanwhile: the execution goes on from them.
    pub(super) fn resume_requeued(&mut self) {
        self.emit("execution_retried", None, None);
        let requeued = std::mem::take(&mut self.state.requeued);
        self.reopen();
        for (key, _) in requeued {
            self.go_on_from(&key);
        }
    }

    /// A node that was requeued goes on: the `MAP` of an item with its other items, a loop with its next round.
    pub(super) fn go_on_from(&mut self, key: &NodeId) {
        let Some(&index) = self.definition.graph.index.get(NodeKey::of(key).node()) else {
            return;
        };
        let Some(state) = self.node_state(index).filter(|state| state.is_active()) else {
            return;
        };
        if state.wait == Some(Wait::Delay) && state.due_at.is_none() {
            self.end_delay(index);
        } else if let NodeKind::Map(map) = &self.node(index).kind {
            let due_at = self.timeout_of(index);
            if let Some(state) = self.node_state_mut(index) {
                state.due_at = state.due_at.or(due_at);
            }
            self.restart_items(index, map);
            self.continue_map(index, map);
        }
    }

    /// Makes the execution RUNNING and what has to start again PENDING, and finds what can start. Nodes of `onFailure`
    /// are as if they had never run.
    pub(super) fn reopen(&mut self) {
        self.state.status = ExecutionStatus::Running;
        self.state.error = None;
        self.state.ending = None;
        self.state.undoes_late = false;
        self.set_deadline();
        for (index, node) in self.definition.nodes.iter().enumerate() {
            let is_handler = self.definition.is_on_failure(index);
            let Some(state) = self.state.nodes.get_mut(&node.id) else {
                continue;
            };
            let is_chosen = if is_handler {
                state.round > 0
            } else {
                matches!(state.status, NodeStatus::Failed | NodeStatus::Cancelled) || state.is_undone
            };
            if is_chosen {
                let child_id = state.child_id.filter(|_| !is_handler && !state.is_undone);
                *state = NodeState {
                    round: state.round,
                    child_id,
                    items: state.items.take(),
                    has_lost_output: !state.has_output(),
                    ..NodeState::pending(0)
                };
            }
        }
        self.state.recount(self.definition);
        self.drop_stale_items();
        // A child goes on only where nothing before it runs again: otherwise another one gets what that brings.
        for state in self.state.nodes.values_mut().filter(|state| state.waits_for > 0) {
            state.child_id = None;
        }
        self.find_ready();
    }

    /// A `MAP` goes on with what it has done only where nothing before it runs again: then its items may be others.
    fn drop_stale_items(&mut self) {
        for (index, node) in self.definition.nodes.iter().enumerate() {
            let NodeKind::Map(_) = node.kind else { continue };
            let is_stale = self.node_state(index).is_some_and(|state| {
                state.status == NodeStatus::Pending
                    && (state.waits_for > 0 || self.definition.is_on_failure(index))
            });
            if is_stale {
                self.forget_items(&node.id);
            }
        }
    }
}
