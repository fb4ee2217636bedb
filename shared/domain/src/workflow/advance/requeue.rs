//! Dead letters that were requeued: their jobs run again, and so does what waits for them.

use crate::id::JobId;
use crate::names::NodeId;
use crate::workflow::advance::transition::Transition;
use crate::workflow::execution::{Ending, ExecutionStatus, NodeState, NodeStatus, Refusal};
use crate::workflow::key::NodeKey;

impl Transition<'_> {
    /// A dead letter was requeued: its node runs again as the same job, and its cancelled siblings start again.
    pub(super) fn requeued(&mut self, key: &NodeId, job_id: JobId) -> Result<(), Refusal> {
        let status = self.state.status;
        if matches!(status, ExecutionStatus::Completed | ExecutionStatus::Cancelled) {
            return Err(Refusal::Finished(status.as_str()));
        }
        let named = NodeKey::of(key);
        let index = self.definition.graph.index.get(named.node()).copied();
        let awaited = self.state.nodes.get(key).filter(|state| state.job_id == Some(job_id));
        let (Some(index), Some(state)) = (index, awaited) else {
            return Err(Refusal::NotAwaited(key.clone()));
        };
        match state.status {
            // It was requeued before its failure was heard of.
            NodeStatus::Running => {
                self.emit("node_requeued", Some(key), None);
                return Ok(());
            }
            NodeStatus::Failed => {}
            _ => return Err(Refusal::NotAwaited(key.clone())),
        }
        if matches!(named, NodeKey::Compensation(_)) || self.definition.is_on_failure(index) {
            return self.requeue_of_ending(index, key, &named);
        }
        if matches!(self.state.ending, Some(Ending::Cancelled(_))) {
            return Err(Refusal::Compensating);
        }
        self.run_again(key);
        self.reopen_map(index, key);
        match status {
            ExecutionStatus::Compensating => self.state.requeued.push((key.clone(), job_id)),
            ExecutionStatus::Failed => {
                self.reopen();
                self.go_on_from(key);
            }
            _ => self.go_on_from(key),
        }
        Ok(())
    }

    /// A compensation or a node of `onFailure` runs again; then the execution has failed as before.
    fn requeue_of_ending(&mut self, index: usize, key: &NodeId, named: &NodeKey) -> Result<(), Refusal> {
        match self.state.status {
            ExecutionStatus::Failed => {
                self.state.status = ExecutionStatus::Compensating;
                self.state.ending = self.state.error.take().map(Ending::Failed);
                self.emit("execution_compensating", None, None);
            }
            ExecutionStatus::Compensating => {}
            _ => return Err(Refusal::NotAwaited(key.clone())),
        }
        self.run_again(key);
        if matches!(named, NodeKey::Compensation(_)) {
            self.state.undoing += 1;
        } else {
            self.reopen_map(index, key);
            // Nodes behind it wait for it again; those that it let go were skipped and stay so.
            self.state.recount(self.definition);
            self.go_on_from(key);
        }
        Ok(())
    }

    fn run_again(&mut self, key: &NodeId) {
        let now = self.now;
        if let NodeKey::Node(_) = NodeKey::of(key) {
            self.state.steps = self.state.steps.saturating_add(1);
        }
        if let Some(state) = self.state.nodes.get_mut(key) {
            *state = NodeState {
                status: NodeStatus::Running,
                round: state.round + 1,
                job_id: state.job_id,
                started_at: Some(now),
                repeats: state.repeats,
                ..NodeState::pending(0)
            };
        }
        self.emit("node_requeued", Some(key), None);
    }

    /// The `MAP` of an item that was requeued is under way again.
    fn reopen_map(&mut self, index: usize, key: &NodeId) {
        let NodeKey::Item { .. } = NodeKey::of(key) else { return };
        let now = self.now;
        let round = self.state.nodes.get(key).map_or(0, |state| state.round);
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        if let Some(items) = &mut state.items {
            items.round_last = items.round_last.max(round);
        }
        if state.is_active() {
            return;
        }
        *state = NodeState {
            status: NodeStatus::Running,
            round: state.round + 1,
            attempts: 1,
            started_at: Some(now),
            repeats: state.repeats,
            items: state.items.take(),
            ..NodeState::pending(0)
        };
    }
}
