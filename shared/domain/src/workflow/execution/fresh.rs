//! States that nothing has happened to, and what follows from a state: its counters, what it does or waits for, what
//! expressions see of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::{ExecutionId, JobId};
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::NodeKey;
use crate::workflow::definition::Definition;
use crate::workflow::execution::{
    ExecutionState, ExecutionStatus, NodeState, NodeStatus, STATE_FORMAT, Wait,
};

impl ExecutionState {
    /// The state of an execution that was accepted: PENDING, and so is every node.
    pub fn new(definition: &Definition) -> Self {
        let mut state = Self::without_nodes();
        state.fill(definition);
        state
    }

    /// The state of an execution without any node.
    pub(crate) const fn without_nodes() -> Self {
        Self {
            format: STATE_FORMAT,
            status: ExecutionStatus::Pending,
            nodes_open: 0,
            nodes: BTreeMap::new(),
            steps: 0,
            started_at: None,
            deadline_at: None,
            error: None,
            completions: 0,
            kept: Vec::new(),
            ending: None,
            undo: Vec::new(),
            requeued: Vec::new(),
            undoing: 0,
            stopping: Vec::new(),
            undoes_late: false,
            items_started: 0,
        }
    }

    /// Adds the nodes that are missing as PENDING, and counts again what follows from the nodes.
    pub(crate) fn fill(&mut self, definition: &Definition) {
        for node in &definition.nodes {
            if !self.nodes.contains_key(&node.id) {
                self.nodes.insert(node.id.clone(), NodeState::pending(0));
            }
        }
        self.recount(definition);
    }

    /// Counts again how many nodes are open, and how many each PENDING node waits for.
    pub(crate) fn recount(&mut self, definition: &Definition) {
        let is_open: Vec<bool> = definition
            .nodes
            .iter()
            .enumerate()
            .map(|(index, node)| match self.nodes.get(&node.id).map(|state| state.status) {
                Some(NodeStatus::Completed | NodeStatus::Skipped) => false,
                // A node of `onFailure` that failed does not stop the others.
                Some(NodeStatus::Failed) => !definition.is_on_failure(index),
                _ => true,
            })
            .collect();
        let main = &is_open[..definition.on_failure_from.min(is_open.len())];
        self.nodes_open = main.iter().filter(|&&open| open).count() as u32;
        for (node, dependencies) in definition.nodes.iter().zip(&definition.graph.dependencies) {
            let waits_for = dependencies.iter().filter(|&&dependency| is_open[dependency]).count() as u32;
            if let Some(state) = self.nodes.get_mut(&node.id) {
                state.waits_for = if state.status == NodeStatus::Pending { waits_for } else { 0 };
            }
        }
    }
}

impl NodeState {
    /// A node that was not started.
    pub fn pending(waits_for: u32) -> Self {
        Self {
            status: NodeStatus::Pending,
            round: 0,
            waits_for,
            job_id: None,
            attempts: 0,
            started_at: None,
            finished_at: None,
            error: None,
            completed_as: None,
            wait: None,
            due_at: None,
            child_id: None,
            repeats: 0,
            items: None,
            is_undone: false,
            is_taken_over: false,
            has_lost_output: false,
        }
    }

    /// Whether something is under way for it: a job, or a wait.
    pub const fn is_active(&self) -> bool {
        matches!(self.status, NodeStatus::Running | NodeStatus::Waiting)
    }
}

// Whether an execution has something to do on its own, and when the clock does something to it.

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

// What the store has to know of a state before it lets something of a failed execution go on.

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

// Which of the outputs that were ever recorded belong to a state.

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

// How parts of the state are stored: keys that are no node ids, and what is left out.

/// `nodes`: their keys can name items and compensations, which are no valid ids. Nodes that nothing has happened to
/// are left out; [`ExecutionState::restore`](crate::workflow::execution::ExecutionState::restore) makes them again.
pub(super) mod stored_nodes {
    use super::{BTreeMap, Deserialize, Deserializer, NodeId, NodeState, NodeStatus, Serializer};

    pub(in crate::workflow::execution) fn serialize<S: Serializer>(
        nodes: &BTreeMap<NodeId, NodeState>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let is_fresh = |state: &NodeState| state.status == NodeStatus::Pending && state.round == 0;
        // Collected, because MessagePack writes how many there are first.
        let kept: Vec<(&NodeId, &NodeState)> = nodes.iter().filter(|(_, state)| !is_fresh(state)).collect();
        serializer.collect_map(kept)
    }

    pub(in crate::workflow::execution) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<NodeId, NodeState>, D::Error> {
        let nodes = BTreeMap::<String, NodeState>::deserialize(deserializer)?;
        Ok(nodes.into_iter().map(|(key, state)| (NodeId::trusted(key), state)).collect())
    }
}

/// `requeued`: its keys can name items.
pub(super) mod stored_requeued {
    use super::{Deserialize, Deserializer, JobId, NodeId, Serialize, Serializer};

    pub(in crate::workflow::execution) fn serialize<S: Serializer>(
        requeued: &[(NodeId, JobId)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        requeued.serialize(serializer)
    }

    pub(in crate::workflow::execution) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(NodeId, JobId)>, D::Error> {
        let requeued = Vec::<(String, JobId)>::deserialize(deserializer)?;
        Ok(requeued.into_iter().map(|(key, job)| (NodeId::trusted(key), job)).collect())
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
