//! Which of the outputs that were ever recorded belong to a state.

use crate::names::NodeId;
use crate::workflow::execution::{ExecutionState, NodeState, NodeStatus};
use crate::workflow::key::NodeKey;

impl ExecutionState {
    /// Whether the latest output that was recorded under a key is still the key's: that of a node that completed, of
    /// the round before the present one of a node with `repeat`, of an item whose `MAP` is not done, or of a
    /// compensation. A node that has to start again has its output of before until it starts: others may be under way
    /// that read it. The items of a `MAP` that is done have none.
    pub fn has_output(&self, key: &NodeId) -> bool {
        match NodeKey::of(key) {
            NodeKey::Node(_) => self.nodes.get(key).is_some_and(NodeState::has_output),
            NodeKey::Item { node, index } => {
                let items = self.nodes.get(&node).and_then(|state| state.items.as_ref());
                let byte = items.and_then(|items| items.completed.get(index as usize / 8));
                byte.is_some_and(|byte| byte & (1 << (index % 8)) != 0)
            }
            NodeKey::Compensation(_) => {
                self.nodes.get(key).is_some_and(|state| state.status == NodeStatus::Completed)
            }
        }
    }
}

impl NodeState {
    /// Whether the latest output that was recorded of it is still its own.
    pub(crate) const fn has_output(&self) -> bool {
        match self.status {
            NodeStatus::Completed => true,
            NodeStatus::Pending => !self.has_lost_output,
            NodeStatus::Skipped => false,
            _ => self.repeats > 0,
        }
    }
}
