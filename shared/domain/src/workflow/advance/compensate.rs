//! Compensations: what undoes completed nodes, one after another in the reverse order of their completion.

use serde_json::Value;

use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::{Terms, Work, prepare};
use crate::workflow::definition::JobKeys;
use crate::workflow::execution::{Ending, ExecutionError, NodeState, NodeStatus};
use crate::workflow::expression::Local;
use crate::workflow::key::compensation_key;

impl Transition<'_> {
    pub(super) fn start_compensation(&mut self, id: &NodeId) {
        let Some(&index) = self.definition.graph.index.get(id) else {
            return;
        };
        let node = self.node(index);
        let Some(task) = node.compensate.as_deref() else {
            return;
        };
        let key = compensation_key(id);
        let round = self.state.nodes.get(&key).map_or(0, |state| state.round) + 1;
        let now = self.now;
        let state = NodeState {
            status: NodeStatus::Running,
            round,
            started_at: Some(now),
            attempts: 1,
            ..NodeState::pending(0)
        };
        self.state.nodes.insert(key.clone(), state);
        self.outputs.remove(&key);
        self.state.undoing += 1;
        let cancelled;
        let error = match &self.state.ending {
            Some(Ending::Failed(error)) => Some(error),
            Some(Ending::Cancelled(reason)) => {
                cancelled = to_error(reason.as_deref());
                Some(&cancelled)
            }
            None => None,
        };
        let work = prepare(&task.kind, &JobKeys::default(), &self.scope(Local { error, ..Local::default() }));
        let terms = Terms::of_task(task, node, self.context.tier);
        match work {
            Ok(Work::Done(output)) => self.compensated(index, output),
            Ok(Work::Job { job_type, data, keys }) => self.enqueue(&key, terms, (job_type, data, keys)),
            Ok(Work::Child { .. }) => {
                let error = JobError::coded("unsupported", "a WORKFLOW cannot be a compensation");
                self.compensation_failed(index, error);
            }
            Err(error) => self.compensation_failed(index, error),
        }
    }

    /// What a node did is undone.
    pub(super) fn compensated(&mut self, index: usize, output: Value) {
        let id = &self.node(index).id;
        self.outputs.insert(compensation_key(id), output.clone());
        self.end_compensation(id, NodeStatus::Completed, Some(output), None);
        if let Some(state) = self.node_state_mut(index) {
            state.is_undone = true;
        }
        self.emit("node_compensated", Some(id), None);
    }

    /// It stays done; its dead letter can be requeued. The other compensations go on.
    pub(super) fn compensation_failed(&mut self, index: usize, error: JobError) {
        let id = &self.node(index).id;
        let message = error.message.clone();
        self.end_compensation(id, NodeStatus::Failed, None, Some(error));
        self.emit("compensation_failed", Some(id), Some(message));
    }

    fn end_compensation(
        &mut self,
        id: &NodeId,
        status: NodeStatus,
        output: Option<Value>,
        error: Option<JobError>,
    ) {
        let now = self.now;
        let key = compensation_key(id);
        if let Some(state) = self.state.nodes.get_mut(&key) {
            state.status = status;
            state.finished_at = Some(now);
            state.error = error;
        }
        self.state.undoing = self.state.undoing.saturating_sub(1);
        self.record(&key, status, output);
    }
}

/// `error` as compensations of a cancelled execution see it.
fn to_error(reason: Option<&str>) -> ExecutionError {
    ExecutionError {
        node: None,
        message: reason.unwrap_or("the execution was cancelled").to_owned(),
        code: Some("cancelled".to_owned()),
    }
}
