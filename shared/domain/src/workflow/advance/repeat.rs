//! `repeat`: a node that is done runs again until its condition holds.

use serde_json::Value;

use crate::failure::JobError;
use crate::time::DurationMs;
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::to_job_error;
use crate::workflow::definition::{NodeKind, Repeat};
use crate::workflow::execution::{NodeState, NodeStatus, Wait};

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
        self.emit("node_repeated", Some(&node.id), Some(detail));
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
