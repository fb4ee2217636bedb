//! States that nothing has happened to, and the counters that follow from the nodes.

use std::collections::BTreeMap;

use crate::workflow::definition::Definition;
use crate::workflow::execution::{ExecutionState, ExecutionStatus, NodeState, NodeStatus, STATE_FORMAT};

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
