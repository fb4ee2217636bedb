//! Which of the ways to a node are taken, once all that it depends on is settled.

use serde_json::Value;

use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::{Node, NodeKind, OnError};
use crate::workflow::execution::NodeStatus;

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
