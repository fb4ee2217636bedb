//! Ends nodes: completed, skipped, failed.

use serde_json::{Value, json};

use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::{NodeKind, OnError};
use crate::workflow::execution::{ExecutionError, NodeStatus};
use crate::workflow::key::NodeKey;

impl Transition<'_> {
    /// A node is done. `error` is set where it failed and `onError` lets the execution go on.
    pub(super) fn complete(&mut self, index: usize, output: Value, error: Option<JobError>) {
        let now = self.now;
        let node = self.node(index);
        let (number, is_success) = (self.state.completions, error.is_none());
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        state.status = NodeStatus::Completed;
        state.finished_at = Some(now);
        state.wait = None;
        state.due_at = None;
        state.completed_as = Some(number);
        state.error = error;
        self.state.completions = number.saturating_add(1);
        self.outputs.insert(node.id.clone(), output.clone());
        self.record(&node.id, NodeStatus::Completed, Some(output));
        self.emit("node_completed", Some(&node.id), None);
        if is_success {
            self.set_attributes_of(index);
        }
        self.release(index);
        match &node.kind {
            NodeKind::Switch { .. } => self.veto_others(index),
            NodeKind::Map(_) => self.forget_items(&node.id),
            _ => {}
        }
    }

    pub(super) fn skip(&mut self, index: usize, why: String) {
        let now = self.now;
        let id = &self.node(index).id;
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        state.status = NodeStatus::Skipped;
        state.round += 1;
        state.waits_for = 0;
        state.started_at = None;
        state.finished_at = Some(now);
        self.outputs.remove(id);
        self.record(id, NodeStatus::Skipped, None);
        self.emit("node_skipped", Some(id), Some(why));
        self.release(index);
    }

    /// Tells those that wait for a node that they wait for one less.
    fn release(&mut self, index: usize) {
        if !self.definition.is_on_failure(index) {
            self.state.nodes_open = self.state.nodes_open.saturating_sub(1);
        }
        for &dependent in &self.definition.graph.dependents[index] {
            let Some(state) =
                self.node_state_mut(dependent).filter(|state| state.status == NodeStatus::Pending)
            else {
                continue;
            };
            state.waits_for = state.waits_for.saturating_sub(1);
            if state.waits_for == 0 {
                self.ready.insert(dependent);
            }
        }
    }

    /// A node failed for good: the execution fails, or takes the error for its output and goes on.
    pub(super) fn fail_node(&mut self, index: usize, error: JobError) {
        let node = self.node(index);
        self.emit("node_failed", Some(&node.id), Some(error.message.clone()));
        if let NodeKind::Map(_) = node.kind {
            self.stop_items(&node.id);
        }
        if node.on_error != OnError::Fail {
            self.complete(index, json!({"error": error}), Some(error));
            return;
        }
        let now = self.now;
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        state.status = NodeStatus::Failed;
        state.finished_at = Some(now);
        state.wait = None;
        state.due_at = None;
        state.error = Some(error.clone());
        self.record(&node.id, NodeStatus::Failed, None);
        if self.definition.is_on_failure(index) {
            // The other nodes of `onFailure` go on; the way from this one is not taken.
            self.release(index);
            return;
        }
        self.drop_requeued(&node.id);
        self.fail_execution(ExecutionError {
            node: Some(node.id.clone()),
            message: error.message,
            code: error.code,
        });
    }

    /// What was requeued failed again: the execution does not go on from it.
    fn drop_requeued(&mut self, node: &NodeId) {
        self.state.requeued.retain(|(key, _)| NodeKey::of(key).node() != node);
    }
}
