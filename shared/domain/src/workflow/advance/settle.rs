//! Ends nodes, and with them executions: completed, skipped, failed, cancelled.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use crate::failure::JobError;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::OnError;
use crate::workflow::execution::{Effect, ExecutionError, ExecutionStatus, NodeStatus};
use crate::workflow::expression::{EvaluationError, check_bounds};

impl Transition<'_> {
    /// A node is done. `error` is set where it failed and `onError` lets the execution go on.
    pub(super) fn complete(&mut self, index: usize, output: Value, error: Option<JobError>) {
        let now = self.now;
        let id = &self.node(index).id;
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        state.status = NodeStatus::Completed;
        state.finished_at = Some(now);
        state.error = error;
        self.outputs.insert(id.clone(), output.clone());
        self.record(index, Some(output));
        self.emit("node_completed", Some(id), None);
        self.release(index);
    }

    pub(super) fn skip(&mut self, index: usize, why: &str) {
        let now = self.now;
        let id = &self.node(index).id;
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        state.status = NodeStatus::Skipped;
        state.started_at = None;
        state.finished_at = Some(now);
        self.record(index, None);
        self.emit("node_skipped", Some(id), Some(why.to_owned()));
        self.release(index);
    }

    /// Tells those that wait for a node that they wait for one less.
    fn release(&mut self, index: usize) {
        self.state.nodes_open = self.state.nodes_open.saturating_sub(1);
        for &dependent in &self.definition.graph.dependents[index] {
            let Some(state) = self.node_state_mut(dependent) else {
                continue;
            };
            state.waits_for = state.waits_for.saturating_sub(1);
            if state.waits_for == 0 {
                self.ready.insert(dependent);
            }
        }
    }

    /// A node failed for good: the execution fails, or takes the error for its output and goes on.
    pub(super) fn fail_node(&mut self, index: usize, error: JobError) {
        let node = self.node(index);
        self.emit("node_failed", Some(&node.id), Some(error.message.clone()));
        if node.on_error == OnError::Continue {
            self.complete(index, json!({"error": error}), Some(error));
            return;
        }
        let now = self.now;
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        state.status = NodeStatus::Failed;
        state.finished_at = Some(now);
        state.error = Some(error.clone());
        self.record(index, None);
        self.fail_execution(ExecutionError {
            node: Some(node.id.clone()),
            message: error.message,
            code: error.code,
        });
    }

    pub(super) fn fail_execution(&mut self, error: ExecutionError) {
        self.cancel_running();
        self.end(ExecutionStatus::Failed);
        self.emit("execution_failed", error.node.clone().as_ref(), Some(error.message.clone()));
        self.state.error = Some(error);
    }

    /// Stops what runs. Jobs that were to be enqueued by this very event are not enqueued at all.
    pub(super) fn cancel_running(&mut self) {
        let definition = self.definition;
        let running: Vec<usize> = (0..definition.nodes.len())
            .filter(|&index| matches!(self.status_of(index), Some(NodeStatus::Running | NodeStatus::Waiting)))
            .collect();
        let mut never_enqueued = HashSet::new();
        self.effects.retain(|effect| match effect {
            Effect::EnqueueNode(job) => {
                never_enqueued.insert(job.id);
                false
            }
            _ => true,
        });
        let mut jobs = Vec::new();
        for index in running {
            let now = self.now;
            let Some(state) = self.node_state_mut(index) else {
                continue;
            };
            state.status = NodeStatus::Cancelled;
            state.finished_at = Some(now);
            jobs.extend(state.job_id.filter(|id| !never_enqueued.contains(id)));
            self.record(index, None);
            self.emit("node_cancelled", Some(&definition.nodes[index].id), None);
        }
        if !jobs.is_empty() {
            self.effects.push(Effect::CancelJobs(jobs));
        }
    }

    /// Every node is done with: makes the output, and ends the execution.
    pub(super) fn finish(&mut self) {
        let output = match &self.definition.output {
            Some(output) => output.render(&self.scope()),
            None => self.leaf_outputs(),
        };
        match output {
            Ok(output) => {
                self.output = Some(output);
                self.end(ExecutionStatus::Completed);
                self.emit("execution_completed", None, None);
            }
            Err(error) => self.fail_execution(ExecutionError {
                node: None,
                message: format!("the output could not be made: {error}"),
                code: Some("expression".to_owned()),
            }),
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
}
