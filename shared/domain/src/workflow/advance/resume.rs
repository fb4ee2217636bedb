//! Brings a failed execution back: from its failed nodes, or because the dead letter of one was requeued.

use crate::id::JobId;
use crate::names::NodeId;
use crate::workflow::advance::transition::Transition;
use crate::workflow::execution::{ExecutionStatus, NodeState, NodeStatus, Refusal};

impl Transition<'_> {
    /// Somebody wants a failed execution to go on: failed and cancelled nodes start again, each as another job.
    pub(super) fn retried(&mut self) -> Result<(), Refusal> {
        if self.state.status != ExecutionStatus::Failed {
            return Err(Refusal::NotFailed(self.state.status.as_str()));
        }
        self.emit("execution_retried", None, None);
        self.reopen(|status| matches!(status, NodeStatus::Failed | NodeStatus::Cancelled));
        self.run_ready();
        Ok(())
    }

    /// A dead letter was requeued: its node runs again as the same job, and its cancelled siblings start again.
    pub(super) fn node_requeued(&mut self, node: &NodeId, job_id: JobId) -> Result<(), Refusal> {
        let status = self.state.status;
        if matches!(status, ExecutionStatus::Completed | ExecutionStatus::Cancelled) {
            return Err(Refusal::Finished(status.as_str()));
        }
        let now = self.now;
        let awaited = self.state.nodes.get_mut(node).filter(|state| {
            state.job_id == Some(job_id) && matches!(state.status, NodeStatus::Failed | NodeStatus::Running)
        });
        let Some(state) = awaited else {
            return Err(Refusal::NotAwaited(node.clone()));
        };
        let was_failed = state.status == NodeStatus::Failed;
        if was_failed {
            *state = NodeState {
                status: NodeStatus::Running,
                round: state.round + 1,
                job_id: Some(job_id),
                started_at: Some(now),
                ..NodeState::pending(0)
            };
            self.state.steps = self.state.steps.saturating_add(1);
        }
        self.emit("node_requeued", Some(node), None);
        if status == ExecutionStatus::Failed {
            self.reopen(|status| status == NodeStatus::Cancelled);
            self.run_ready();
        }
        Ok(())
    }

    /// Makes the execution RUNNING and the chosen nodes PENDING, and finds what can start.
    fn reopen(&mut self, is_chosen: impl Fn(NodeStatus) -> bool) {
        self.state.status = ExecutionStatus::Running;
        self.state.error = None;
        self.set_deadline();
        for state in self.state.nodes.values_mut().filter(|state| is_chosen(state.status)) {
            *state = NodeState { round: state.round, ..NodeState::pending(0) };
        }
        self.recount();
        for index in 0..self.definition.nodes.len() {
            if self
                .node_state(index)
                .is_some_and(|state| state.status == NodeStatus::Pending && state.waits_for == 0)
            {
                self.ready.insert(index);
            }
        }
    }

    fn recount(&mut self) {
        let definition = self.definition;
        let is_open: Vec<bool> = (0..definition.nodes.len())
            .map(|index| !matches!(self.status_of(index), Some(NodeStatus::Completed | NodeStatus::Skipped)))
            .collect();
        self.state.nodes_open = is_open.iter().filter(|&&open| open).count() as u32;
        for (index, dependencies) in definition.graph.dependencies.iter().enumerate() {
            let waits_for = dependencies.iter().filter(|&&dependency| is_open[dependency]).count() as u32;
            if let Some(state) = self.node_state_mut(index) {
                state.waits_for = waits_for;
            }
        }
    }
}
