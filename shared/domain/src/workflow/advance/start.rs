//! Starts nodes whose dependencies are done: skips them, runs them in place, or has their job enqueued.

use serde_json::{Map, Value};

use crate::failure::JobError;
use crate::names::JobType;
use crate::workflow::advance::apply::node_job_id;
use crate::workflow::advance::request::to_request;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::{Node, NodeKind};
use crate::workflow::execution::{
    Effect, ExecutionError, ExecutionStatus, JOB_TYPE_HTTP, NodeJob, NodeStatus,
};
use crate::workflow::expression::EvaluationError;

/// How many nodes one execution may start, retries included.
pub const STEPS_MAX: u32 = 10_000;

/// The code of a node whose expression could not be evaluated.
const CODE_EXPRESSION: &str = "expression";

impl Transition<'_> {
    /// Works through the ready nodes until none is left, then ends the execution where every node is done with.
    pub(super) fn run_ready(&mut self) {
        while self.state.status == ExecutionStatus::Running {
            let Some(index) = self.ready.pop_first() else {
                break;
            };
            self.visit(index);
        }
        if self.state.status == ExecutionStatus::Running && self.state.nodes_open == 0 {
            self.finish();
        }
    }

    /// Decides what becomes of a node whose dependencies are done.
    fn visit(&mut self, index: usize) {
        let is_ready = self
            .node_state(index)
            .is_some_and(|state| state.status == NodeStatus::Pending && state.waits_for == 0);
        if !is_ready {
            return;
        }
        let node = self.node(index);
        if self.state.steps >= STEPS_MAX {
            self.fail_execution(ExecutionError {
                node: Some(node.id.clone()),
                message: format!("the execution started more than {STEPS_MAX} nodes"),
                code: Some("too_many_steps".to_owned()),
            });
            return;
        }
        let now = self.now;
        if let Some(state) = self.node_state_mut(index) {
            state.round += 1;
            state.started_at = Some(now);
        }
        let dependencies = &self.definition.graph.dependencies[index];
        let all_skipped = !dependencies.is_empty()
            && dependencies.iter().all(|&dependency| self.status_of(dependency) == Some(NodeStatus::Skipped));
        if all_skipped {
            self.skip(index, "every node that it depends on was skipped");
            return;
        }
        match node.when.as_ref().map_or(Ok(true), |when| when.test(&self.scope())) {
            Ok(true) => self.begin(index, node),
            Ok(false) => self.skip(index, "`when` is false"),
            Err(error) => self.fail_node(index, to_job_error(&error)),
        }
    }

    fn begin(&mut self, index: usize, node: &Node) {
        self.state.steps += 1;
        match &node.kind {
            NodeKind::Transform { output } => {
                if let Some(state) = self.node_state_mut(index) {
                    state.attempts = 1;
                }
                match output.render(&self.scope()) {
                    Ok(value) => self.complete(index, value, None),
                    Err(error) => self.fail_node(index, to_job_error(&error)),
                }
            }
            NodeKind::ServiceTask { job_type, input } => {
                let data =
                    input.as_ref().map_or(Ok(Value::Object(Map::new())), |input| input.render(&self.scope()));
                match data {
                    Ok(data) => self.enqueue(index, node, job_type.clone(), data),
                    Err(error) => self.fail_node(index, to_job_error(&error)),
                }
            }
            NodeKind::Http { request, expect } => {
                let request =
                    request.render(&self.scope()).map_err(|error| to_job_error(&error)).and_then(|value| {
                        to_request(value, expect)
                            .map_err(|fault| JobError::coded(CODE_EXPRESSION, fault.to_string()))
                    });
                match request {
                    Ok(data) => self.enqueue(index, node, JobType::trusted(JOB_TYPE_HTTP), data),
                    Err(error) => self.fail_node(index, error),
                }
            }
        }
    }

    fn enqueue(&mut self, index: usize, node: &Node, job_type: JobType, data: Value) {
        let execution = self.context.id;
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        let id = node_job_id(execution, &node.id, state.round);
        state.status = NodeStatus::Running;
        state.job_id = Some(id);
        self.effects.push(Effect::EnqueueNode(NodeJob {
            id,
            node: node.id.clone(),
            job_type,
            tier: node.priority.unwrap_or(self.context.tier),
            data,
            retries_max: node.retry.and_then(|retry| retry.retries_max),
            backoff: node.retry.and_then(|retry| retry.backoff),
            timeout: node.timeout,
        }));
        self.emit("node_started", Some(&node.id), None);
    }
}

fn to_job_error(error: &EvaluationError) -> JobError {
    JobError::coded(CODE_EXPRESSION, error.to_string())
}
