//! Starts nodes whose dependencies are done: skips them, runs them in place, or begins what they do.

use serde_json::Value;

use crate::failure::JobError;
use crate::time::DurationMs;
use crate::workflow::advance::settle::Admission;
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::{Terms, Work, prepare, to_job_error};
use crate::workflow::definition::{Node, NodeKind, Repeat};
use crate::workflow::execution::{
    ExecutionError, ExecutionStatus, NodeState, NodeStatus, TimelineEventKind, Wait,
};

/// How many nodes one execution may start, retries and rounds included, items of `MAP`s not. Nodes of `onFailure` may
/// use as many again, so that what ran out of steps can still be reported.
pub const STEPS_MAX: u32 = 10_000;

/// How many bytes of inputs and outputs one event may bring about. Without it, nodes that start together could fill the
/// memory before anybody looks at the size of the state. Items of a `MAP` wait for the next event long before.
pub(super) const EVENT_BYTES_MAX: usize = 64 * 1024 * 1024;

impl Transition<'_> {
    /// Works through what can start until nothing is left, and ends the execution where everything is done with.
    pub(super) fn go_on(&mut self) {
        loop {
            if !matches!(self.state.status, ExecutionStatus::Running | ExecutionStatus::Compensating) {
                break;
            } else if self.bytes() > EVENT_BYTES_MAX {
                let message = format!("one step of the execution takes more than {EVENT_BYTES_MAX} bytes");
                let code = Some("state_too_large".to_owned());
                self.break_off(ExecutionError { node: None, message, code });
            } else if let Some(index) = self.again.pop_first() {
                self.start_round(index);
            } else if let Some(index) = self.ready.pop_first() {
                self.visit(index);
            } else if self.state.status == ExecutionStatus::Compensating {
                if !self.go_on_ending() {
                    break;
                }
            } else if self.state.nodes_open == 0 {
                self.finish();
            } else {
                break;
            }
        }
    }

    /// Decides what becomes of a node whose dependencies are done.
    fn visit(&mut self, index: usize) {
        let is_ready = self
            .node_state(index)
            .is_some_and(|state| state.status == NodeStatus::Pending && state.waits_for == 0);
        if !is_ready || !self.is_live(index) {
            return;
        }
        if !self.definition.is_on_failure(index) && self.is_out_of_steps(index) {
            return;
        }
        let node = self.node(index);
        if let Admission::Skip(why) = self.admission(index) {
            self.skip(index, why);
            return;
        }
        match node.when.as_ref().map_or(Ok(true), |when| when.test(&self.scope_of(index))) {
            Ok(false) => self.skip(index, "`when` is false".to_owned()),
            when => {
                let now = self.now;
                self.outputs.remove(&node.id);
                if let Some(state) = self.node_state_mut(index) {
                    state.round += 1;
                    state.started_at = Some(now);
                }
                match when {
                    Ok(_) => self.begin(index, node),
                    Err(error) => self.fail_node(index, to_job_error(&error)),
                }
            }
        }
    }

    /// Starts the next round of a node; `round` counts it already.
    fn start_round(&mut self, index: usize) {
        let is_awaited = self
            .node_state(index)
            .is_some_and(|state| state.status == NodeStatus::Running && state.job_id.is_none());
        if !is_awaited || !self.is_live(index) {
            return;
        }
        if !self.definition.is_on_failure(index) && self.is_out_of_steps(index) {
            return;
        }
        let now = self.now;
        if let Some(state) = self.node_state_mut(index) {
            state.started_at = Some(now);
        }
        self.begin(index, self.node(index));
    }

    /// Fails the execution when it may start no more nodes.
    fn is_out_of_steps(&mut self, index: usize) -> bool {
        let is_out = self.state.steps >= STEPS_MAX;
        if is_out {
            self.fail_execution(ExecutionError {
                node: Some(self.node(index).id.clone()),
                message: format!("the execution started more than {STEPS_MAX} nodes"),
                code: Some("too_many_steps".to_owned()),
            });
        }
        is_out
    }

    fn begin(&mut self, index: usize, node: &Node) {
        if self.state.steps >= 2 * STEPS_MAX {
            let message = format!("onFailure started more than {STEPS_MAX} nodes");
            self.fail_node(index, JobError::coded("too_many_steps", message));
            return;
        }
        self.state.steps += 1;
        match &node.kind {
            NodeKind::Timer(end) => self.begin_timer(index, end),
            NodeKind::Signal { signal } => self.begin_signal(index, signal.as_str()),
            NodeKind::UserTask(task) => self.begin_user_task(index, task),
            NodeKind::WaitWebhook => self.begin_callback(index),
            NodeKind::WaitEvent(spec) => self.begin_event_wait(index, spec),
            NodeKind::Map(map) => self.begin_map(index, map),
            NodeKind::Switch { cases, default } => self.begin_switch(index, cases, default.as_ref()),
            NodeKind::ServiceTask { .. }
            | NodeKind::Http { .. }
            | NodeKind::Transform { .. }
            | NodeKind::Workflow { .. } => self.begin_work(index, node),
        }
    }

    pub(super) fn begin_work(&mut self, index: usize, node: &Node) {
        let work = prepare(&node.kind, &node.keys, &self.scope_of(index));
        let terms = Terms::of_node(node, self.context.tier);
        match work {
            Ok(Work::Done(output)) => {
                self.record_attempt(index);
                self.succeed(index, output);
            }
            Ok(Work::Job { job_type, data, keys }) => {
                self.enqueue(&node.id, terms, (job_type, data, keys));
                self.emit(TimelineEventKind::NodeStarted, Some(&node.id), None);
            }
            Ok(Work::Child { workflow, version, input }) => {
                let detail = format!("runs `{workflow}`");
                self.start_child(&node.id, terms, (workflow, version), input);
                self.emit(TimelineEventKind::NodeStarted, Some(&node.id), Some(detail));
            }
            Err(error) => {
                self.record_attempt(index);
                self.fail_node(index, error);
            }
        }
    }

    /// What is done in place, or waited for, is one attempt.
    pub(super) fn record_attempt(&mut self, index: usize) {
        if let Some(state) = self.node_state_mut(index) {
            state.attempts = 1;
        }
    }
}

// `repeat`: a node that is done runs again until its condition holds.

/// Once an event has brought about outputs of so many bytes, the next round of a loop is left to the next event.
const ROUNDS_BYTES_MAX: usize = 4 * 1024 * 1024;

impl Transition<'_> {
    /// A node did what it does: it is done, or runs again.
    pub(super) fn succeed(&mut self, index: usize, output: Value) {
        let node = self.node(index);
        let Some(repeat) = &node.repeat else {
            self.complete(index, output, None);
            return;
        };
        let (is_over, output) = self.is_over(index, repeat, output);
        let rounds = self.node_state(index).map_or(0, |state| state.repeats).saturating_add(1);
        match is_over {
            Ok(true) => self.complete(index, output, None),
            Ok(false) if rounds < repeat.rounds_max => self.repeat(index, repeat, rounds, output),
            Ok(false) => {
                let message = format!("`until` did not hold after {} rounds", repeat.rounds_max);
                self.fail_node(index, JobError::coded("repeat_exhausted", message));
            }
            Err(error) => self.fail_node(index, error),
        }
    }

    /// Whether a loop is over with this output, which is given back.
    pub(super) fn is_over(
        &mut self,
        index: usize,
        repeat: &Repeat,
        output: Value,
    ) -> (Result<bool, JobError>, Value) {
        let id = &self.node(index).id;
        // The condition sees the new output. Until the round is recorded it is only lent.
        let before = self.outputs.insert(id.clone(), output);
        let is_over = repeat.until.test(&self.scope_of(index)).map_err(|error| to_job_error(&error));
        let output = match before {
            Some(before) => self.outputs.insert(id.clone(), before),
            None => self.outputs.remove(id),
        };
        (is_over, output.unwrap_or_default())
    }

    /// Records a round and waits for the next one, which is counted from now on: a node that is cancelled while it
    /// waits has not lost the result of the round before.
    fn repeat(&mut self, index: usize, repeat: &Repeat, rounds: u32, output: Value) {
        let node = self.node(index);
        self.outputs.insert(node.id.clone(), output.clone());
        self.record(&node.id, NodeStatus::Completed, Some(output));
        let detail = format!("round {rounds} of at most {}", repeat.rounds_max);
        self.emit(TimelineEventKind::NodeRepeated, Some(&node.id), Some(detail));
        if let NodeKind::Map(_) = node.kind {
            self.forget_items(&node.id);
        }
        let is_live = self.is_live(index);
        // A loop in place is cut into several events, so that its rounds are stored and do not pile up in memory.
        let is_next = is_live && repeat.delay == DurationMs::ZERO && self.recorded_bytes <= ROUNDS_BYTES_MAX;
        let due_at = self.now.plus(repeat.delay);
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        let next = NodeState {
            round: state.round + 1,
            repeats: rounds,
            items: state.items.take(),
            ..NodeState::pending(0)
        };
        *state = if is_next {
            NodeState { status: NodeStatus::Running, ..next }
        } else {
            // Without a due time where the execution undoes what completed: it looks again if it goes on.
            let due_at = is_live.then_some(due_at);
            NodeState { status: NodeStatus::Waiting, wait: Some(Wait::Delay), due_at, ..next }
        };
        if is_next {
            self.again.insert(index);
        }
    }

    /// The delay before a node's next round is over.
    pub(super) fn end_delay(&mut self, index: usize) {
        if let Some(state) = self.node_state_mut(index) {
            state.status = NodeStatus::Running;
            state.wait = None;
            state.due_at = None;
            self.again.insert(index);
        }
    }
}
