//! What the store has to know of a state before it lets something of a failed execution go on.

use crate::id::ExecutionId;
use crate::names::NodeId;
use crate::workflow::execution::{ExecutionState, NodeStatus};

/// What a child is to the execution that started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildStanding {
    /// Its node waits for it, or failed with it: both go on together.
    Awaited,
    /// Its node has gone on without it.
    Alone,
    /// Its node starts, or has started, another one.
    Replaced,
}

impl ExecutionState {
    /// Whether something that completed is undone or about to be, so that nothing may go on from it without a retry of
    /// the execution.
    pub fn has_undone(&self) -> bool {
        self.undoing > 0 || !self.undo.is_empty() || self.nodes.values().any(|node| node.is_undone)
    }

    /// What a child is to this execution, which its node or item started.
    pub fn standing_of_child(&self, key: &NodeId, child: ExecutionId) -> ChildStanding {
        let Some(state) = self.nodes.get(key) else {
            return ChildStanding::Alone;
        };
        let is_last = state.child_id == Some(child);
        match state.status {
            NodeStatus::Waiting | NodeStatus::Failed if is_last => ChildStanding::Awaited,
            NodeStatus::Waiting | NodeStatus::Running | NodeStatus::Pending => ChildStanding::Replaced,
            _ => ChildStanding::Alone,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::workflow::execution::NodeState;

    #[test]
    fn standings_of_children() {
        let (key, own) = (NodeId::trusted("sub"), ExecutionId::from_uuid(Uuid::from_u128(1)));
        let other = ExecutionId::from_uuid(Uuid::from_u128(2));
        let table = [
            (NodeStatus::Waiting, Some(own), ChildStanding::Awaited),
            (NodeStatus::Failed, Some(own), ChildStanding::Awaited),
            (NodeStatus::Waiting, Some(other), ChildStanding::Replaced),
            (NodeStatus::Pending, None, ChildStanding::Replaced),
            (NodeStatus::Completed, Some(own), ChildStanding::Alone),
            (NodeStatus::Cancelled, Some(own), ChildStanding::Alone),
            (NodeStatus::Failed, None, ChildStanding::Alone),
        ];
        for (status, child_id, standing) in table {
            let mut state = ExecutionState::without_nodes();
            let node = NodeState { status, child_id, ..NodeState::pending(0) };
            state.nodes.insert(key.clone(), node);
            assert_eq!(state.standing_of_child(&key, own), standing, "{status:?} {child_id:?}");
        }
        assert_eq!(ExecutionState::without_nodes().standing_of_child(&key, own), ChildStanding::Alone);
    }
}
