//! Ends executions: completed, failed, cancelled. Before the last two, what completed is undone.

use serde_json::{Map, Value};

use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::{Terms, Work, prepare, to_render_error};
use crate::workflow::compensation_key;
use crate::workflow::definition::JobKeys;
use crate::workflow::execution::{
    Ending, ExecutionError, ExecutionStatus, NodeState, NodeStatus, Refusal, TimelineEventKind,
};
use crate::workflow::expression::{EvaluationError, Local, check_bounds};

impl Transition<'_> {
    /// Every node is done with: makes the output, and ends the execution.
    pub(super) fn finish(&mut self) {
        let output = match &self.definition.output {
            Some(output) => output.render(&self.scope(Local::default())),
            None => self.leaf_outputs(),
        };
        match output {
            Ok(output) => {
                self.output = Some(output);
                self.end(ExecutionStatus::Completed);
                self.emit(TimelineEventKind::ExecutionCompleted, None, None);
            }
            Err(error) => {
                let JobError { message, code, .. } = to_render_error("output", &error);
                let message = format!("the output of the execution could not be evaluated: {message}");
                self.fail_execution(ExecutionError { node: None, message, code });
            }
        }
    }

    /// The outputs of the completed nodes that no other waits for, by id.
    fn leaf_outputs(&self) -> Result<Value, EvaluationError> {
        let mut leaves = Map::new();
        for &index in &self.definition.graph.leaves {
            let id = &self.node(index).id;
            if self.status_of(index) == Some(NodeStatus::Completed) {
                leaves.insert(id.as_str().to_owned(), self.outputs.get(id).cloned().unwrap_or_default());
            }
        }
        let output = Value::Object(leaves);
        check_bounds(&output)?;
        Ok(output)
    }

    /// The execution fails, once what completed is undone and `onFailure` has run. One that is undoing already goes on
    /// doing so, and keeps the error that it began with.
    pub(super) fn fail_execution(&mut self, error: ExecutionError) {
        if self.is_compensating() || self.state.status.is_terminal() {
            return;
        }
        self.cancel_running(true);
        self.begin_ending(Ending::Failed(error));
    }

    pub(super) fn cancelled(&mut self, reason: Option<String>, compensate: bool) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        if compensate && self.is_compensating() {
            return Err(Refusal::Compensating);
        }
        self.cancel_running(compensate);
        if compensate {
            self.begin_ending(Ending::Cancelled(reason));
        } else {
            self.state.undoes_late = false;
            self.end_as(Ending::Cancelled(reason));
        }
        Ok(())
    }

    /// The execution cannot go on at all: it fails at once. Undoing would need what it lacks; its children have it.
    pub(super) fn break_off(&mut self, error: ExecutionError) {
        self.cancel_running(true);
        self.state.undoes_late = false;
        self.end_as(Ending::Failed(error));
    }

    /// Undoes what completed, where there is something to undo, to run or to wait for; else ends at once.
    fn begin_ending(&mut self, ending: Ending) {
        self.state.undoes_late = true;
        let undo = self.to_undo();
        let has_handlers = matches!(ending, Ending::Failed(_))
            && self.definition.on_failure_from < self.definition.nodes.len();
        if undo.is_empty() && !has_handlers && self.state.stopping.is_empty() {
            self.end_as(ending);
            return;
        }
        let (node, why) = match &ending {
            Ending::Failed(error) => (error.node.clone(), Some(error.message.clone())),
            Ending::Cancelled(reason) => (None, reason.clone()),
        };
        self.emit(TimelineEventKind::ExecutionCompensating, node.as_ref(), why);
        self.state.status = ExecutionStatus::Compensating;
        self.state.deadline_at = None;
        self.state.ending = Some(ending);
        self.state.undo = undo;
    }

    /// The completed nodes that can be undone and are not, the last completed last. One that failed and went on by
    /// `onError` did nothing that could be undone; what a rerun took over is another execution's.
    fn to_undo(&self) -> Vec<NodeId> {
        let mut undo: Vec<(Option<u32>, usize)> = (0..self.definition.on_failure_from)
            .filter(|&index| self.node(index).compensate.is_some())
            .filter_map(|index| {
                let state = self.node_state(index)?;
                let is_done = state.status == NodeStatus::Completed && state.error.is_none();
                (is_done && !state.is_undone && !state.is_taken_over).then_some((state.completed_as, index))
            })
            .collect();
        undo.sort_unstable();
        undo.into_iter().map(|(_, index)| self.node(index).id.clone()).collect()
    }

    /// Does the next thing of an ending when nothing of `onFailure` can start by itself, once the children have undone
    /// what they did: the next compensation, then `onFailure`, then the end. Answers whether it did anything.
    pub(super) fn go_on_ending(&mut self) -> bool {
        if self.state.undoing > 0 || !self.state.stopping.is_empty() {
            return false;
        }
        if let Some(node) = self.state.undo.pop() {
            self.start_compensation(&node);
            return true;
        }
        let handlers = self.definition.on_failure_from..self.definition.nodes.len();
        if matches!(self.state.ending, Some(Ending::Failed(_))) {
            let startable = handlers.clone().filter(|&index| {
                self.node_state(index)
                    .is_some_and(|state| state.status == NodeStatus::Pending && state.waits_for == 0)
            });
            self.ready = startable.collect();
            if !self.ready.is_empty() {
                return true;
            }
        }
        if handlers.into_iter().any(|index| self.node_state(index).is_some_and(NodeState::is_active)) {
            return false;
        }
        if self.state.requeued.is_empty() {
            if let Some(ending) = self.state.ending.take() {
                self.end_as(ending);
            } else {
                // What failed has an error: it is found by it.
                let message = "The execution failed.".to_owned();
                self.state.error.get_or_insert(ExecutionError { node: None, message, code: None });
                self.end(ExecutionStatus::Failed);
            }
        } else {
            self.resume_requeued();
        }
        true
    }

    fn end_as(&mut self, ending: Ending) {
        match ending {
            Ending::Failed(error) => {
                self.end(ExecutionStatus::Failed);
                self.emit(
                    TimelineEventKind::ExecutionFailed,
                    error.node.as_ref(),
                    Some(error.message.clone()),
                );
                self.state.error = Some(error);
            }
            Ending::Cancelled(reason) => {
                self.end(ExecutionStatus::Cancelled);
                self.emit(TimelineEventKind::ExecutionCancelled, None, reason);
            }
        }
    }

    /// Puts the execution into a terminal status. Only one that failed can go on, and needs what is kept.
    fn end(&mut self, status: ExecutionStatus) {
        self.state.status = status;
        self.state.deadline_at = None;
        self.state.ending = None;
        self.state.undo = Vec::new();
        self.state.requeued = Vec::new();
        self.state.stopping = Vec::new();
        if status != ExecutionStatus::Failed {
            self.state.kept = Vec::new();
        }
        self.ready.clear();
        self.again.clear();
    }
}

// Compensations: what undoes completed nodes, one after another in the reverse order of their completion.

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
        self.emit(TimelineEventKind::NodeCompensated, Some(id), None);
    }

    /// It stays done; its dead letter can be requeued. The other compensations go on.
    pub(super) fn compensation_failed(&mut self, index: usize, error: JobError) {
        let id = &self.node(index).id;
        let message = error.message.clone();
        self.end_compensation(id, NodeStatus::Failed, None, Some(error));
        self.emit(TimelineEventKind::CompensationFailed, Some(id), Some(message));
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
