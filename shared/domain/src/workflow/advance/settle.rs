//! Ends nodes: completed, skipped, failed.

use serde_json::{Value, json};

use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::NodeKey;
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::to_job_error;
use crate::workflow::definition::{Node, NodeKind, OnError, SwitchCase};
use crate::workflow::execution::{ExecutionError, NodeStatus, TimelineEventKind};

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
        self.emit(TimelineEventKind::NodeCompleted, Some(&node.id), None);
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
        self.emit(TimelineEventKind::NodeSkipped, Some(id), Some(why));
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
        self.emit(TimelineEventKind::NodeFailed, Some(&node.id), Some(error.message.clone()));
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

// Which of the ways to a node are taken, once all that it depends on is settled.

/// What the nodes before a node make of it.
pub(super) enum Admission {
    /// It has none before it, or one of them leads to it.
    Start,
    /// None of them leads to it; why not.
    Skip(String),
}

impl Transition<'_> {
    /// Whether a node starts whose dependencies are all settled.
    pub(super) fn admission(&self, index: usize) -> Admission {
        let dependencies = &self.definition.graph.dependencies[index];
        let target = self.node(index);
        if let Some(&switch) = dependencies.iter().find(|&&switch| self.is_vetoed(switch, target)) {
            return Admission::Skip(chose_another(self.node(switch)));
        }
        if dependencies.is_empty() || dependencies.iter().any(|&dependency| self.is_taken(dependency, target))
        {
            return Admission::Start;
        }
        let all_skipped =
            dependencies.iter().all(|&dependency| self.status_of(dependency) == Some(NodeStatus::Skipped));
        Admission::Skip(if all_skipped {
            "every node that it depends on was skipped".to_owned()
        } else {
            "none of the nodes that it depends on leads to it".to_owned()
        })
    }

    /// An ordinary way is taken when its node completed. After an error that `onError` turned into a way, only that
    /// way is taken; without the error, all but that one.
    fn is_taken(&self, dependency: usize, target: &Node) -> bool {
        let Some(state) = self.node_state(dependency).filter(|state| state.status == NodeStatus::Completed)
        else {
            return false;
        };
        match &self.node(dependency).on_error {
            OnError::Goto(goto) => state.error.is_some() == (*goto == target.id),
            OnError::Fail | OnError::Continue => true,
        }
    }

    /// Whether a completed `SWITCH` names a node and did not choose it.
    fn is_vetoed(&self, switch: usize, target: &Node) -> bool {
        let node = self.node(switch);
        let NodeKind::Switch { .. } = node.kind else { return false };
        let Some(state) = self.node_state(switch).filter(|state| state.status == NodeStatus::Completed)
        else {
            return false;
        };
        // After an error the way of `onError` is no choice of the SWITCH.
        let is_way_out = state.error.is_some() && node.on_error == OnError::Goto(target.id.clone());
        let is_chosen = self.outputs.get(&node.id).and_then(|output| output.get("chosen"))
            == Some(&Value::from(target.id.as_str()));
        !is_way_out && !is_chosen && node.kind.targets().any(|named| *named == target.id)
    }
}

/// Why a target of a `SWITCH` is skipped.
pub(super) fn chose_another(switch: &Node) -> String {
    format!("`{}` did not choose it", switch.id)
}

// `SWITCH`: the first case whose condition holds is the way on; all other targets are skipped.

impl NodeKind {
    /// The nodes that a `SWITCH` can lead to. Empty for any other type.
    pub(super) fn targets(&self) -> impl Iterator<Item = &NodeId> {
        let (cases, default) = match self {
            Self::Switch { cases, default } => (cases.as_slice(), default.as_ref()),
            _ => (&[] as &[SwitchCase], None),
        };
        cases.iter().map(|case| &case.goto).chain(default)
    }
}

impl Transition<'_> {
    pub(super) fn begin_switch(&mut self, index: usize, cases: &[SwitchCase], default: Option<&NodeId>) {
        self.record_attempt(index);
        match self.choose(index, cases, default) {
            Ok(chosen) => {
                let chosen = chosen.map_or(Value::Null, |id| Value::from(id.as_str()));
                self.succeed(index, json!({ "chosen": chosen }));
            }
            Err(error) => self.fail_node(index, error),
        }
    }

    fn choose<'d>(
        &self,
        index: usize,
        cases: &'d [SwitchCase],
        default: Option<&'d NodeId>,
    ) -> Result<Option<&'d NodeId>, JobError> {
        let scope = self.scope_of(index);
        for case in cases {
            if case.when.test(&scope).map_err(|error| to_job_error(&error))? {
                return Ok(Some(&case.goto));
            }
        }
        Ok(default)
    }

    /// Skips what a completed `SWITCH` did not choose, whatever else it waits for. After an error nothing was chosen.
    pub(super) fn veto_others(&mut self, index: usize) {
        let switch = self.node(index);
        let has_failed = self.node_state(index).is_some_and(|state| state.error.is_some());
        let chosen = self.outputs.get(&switch.id).and_then(|output| output.get("chosen")).cloned();
        for target in switch.kind.targets() {
            let is_way_out = has_failed && switch.on_error == OnError::Goto(target.clone());
            if is_way_out || chosen.as_ref().and_then(Value::as_str) == Some(target.as_str()) {
                continue;
            }
            let Some(&other) = self.definition.graph.index.get(target) else {
                continue;
            };
            if self.status_of(other) == Some(NodeStatus::Pending) {
                self.skip(other, chose_another(switch));
            }
        }
    }
}
