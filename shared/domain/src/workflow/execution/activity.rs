//! Whether an execution has something to do on its own, and when the clock does something to it.

use crate::time::Timestamp;
use crate::workflow::execution::{ExecutionState, ExecutionStatus, NodeState, NodeStatus, Wait};

/// Whether an execution has something to do on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Jobs of it are queued or running, or it has ended.
    Busy,
    /// It only waits: for something outside, or for the clock at `due_at`.
    Waits {
        /// The earliest due time of its nodes and of itself.
        due_at: Option<Timestamp>,
    },
}

impl ExecutionState {
    /// Whether the execution has something to do on its own. One that only waits can leave memory.
    pub fn activity(&self) -> Activity {
        let is_under_way = matches!(self.status, ExecutionStatus::Running | ExecutionStatus::Compensating);
        let has_job = |node: &NodeState| node.status == NodeStatus::Running && node.job_id.is_some();
        if !is_under_way || self.nodes.values().any(has_job) {
            return Activity::Busy;
        }
        Activity::Waits { due_at: self.next_due_at() }
    }

    /// When the clock does something to the execution next: see [`Event::Due`](crate::workflow::execution::Event::Due).
    pub fn next_due_at(&self) -> Option<Timestamp> {
        if self.status.is_terminal() {
            return None;
        }
        let is_paused =
            |node: &NodeState| node.is_active() && node.items.as_ref().is_some_and(|items| items.is_paused);
        if self.nodes.values().any(is_paused) {
            return Some(self.started_at.unwrap_or(Timestamp(0)));
        }
        let of_nodes = self.nodes.values().filter(|node| node.is_active()).flat_map(NodeState::due_times);
        of_nodes.chain(self.deadline_at).min()
    }
}

impl NodeState {
    /// When the clock does something to the node: at its `due_at`, and when its user task is handed on.
    pub(crate) fn due_times(&self) -> impl Iterator<Item = Timestamp> + use<> {
        let escalate_at = match &self.wait {
            Some(Wait::UserTask { escalate_at }) => *escalate_at,
            _ => None,
        };
        self.due_at.into_iter().chain(escalate_at)
    }
}
