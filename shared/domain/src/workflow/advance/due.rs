//! What the clock passed: timers, timeouts, escalations, delays, and the execution's deadline.

use crate::failure::JobError;
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::NodeKey;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::NodeKind;
use crate::workflow::execution::{ExecutionError, NodeState, Refusal, UserTaskEnd, Wait};

impl Transition<'_> {
    /// Applies everything that is due, in the order of the due times; what is due at the same time in the order of the
    /// keys, and the deadline last. What one of them cancels is not due any more.
    pub(super) fn due(&mut self) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        let now = self.now;
        let mut due: Vec<(Timestamp, Option<NodeId>)> = Vec::new();
        for (key, state) in self.state.nodes.iter().filter(|(_, state)| state.is_active()) {
            due.extend(state.due_times().filter(|&at| at <= now).map(|at| (at, Some(key.clone()))));
        }
        due.extend(self.state.deadline_at.filter(|&at| at <= now).map(|at| (at, None)));
        due.sort_by(|(at, key), (other_at, other)| {
            (at, key.is_none(), key).cmp(&(other_at, other.is_none(), other))
        });
        self.continue_paused();
        for (at, key) in due {
            match key {
                Some(key) => self.pass(&key, at),
                None => self.deadline_passed(),
            }
            self.go_on();
        }
        Ok(())
    }

    fn deadline_passed(&mut self) {
        // What was due before it may have ended the execution, or set another deadline.
        if self.state.deadline_at.is_none_or(|deadline| self.now < deadline) {
            return;
        }
        let limit = self.definition.timeout.map(|timeout| format!(" of {timeout}")).unwrap_or_default();
        self.fail_execution(ExecutionError {
            node: None,
            message: format!("the execution did not end within its timeout{limit}"),
            code: Some("timeout".to_owned()),
        });
    }

    /// One due time of a node or an item passed.
    fn pass(&mut self, key: &NodeId, at: Timestamp) {
        let named = NodeKey::of(key);
        let Some(&index) = self.definition.graph.index.get(named.node()) else {
            return;
        };
        let Some(state) = self.state.nodes.get(key).filter(|state| is_due(state, at)) else {
            return;
        };
        if state.due_at != Some(at) {
            self.escalate(index);
            return;
        }
        match (&state.wait, named) {
            (Some(Wait::Timer), _) => {
                self.end_wait(index);
                self.succeed(index, serde_json::Value::Null);
            }
            (Some(Wait::Delay), _) => self.end_delay(index),
            (Some(Wait::UserTask { .. }), _) => {
                self.close_user_task(index, UserTaskEnd::TimedOut);
                self.fail_node(index, timed_out("the user task was not completed in time"));
            }
            (Some(Wait::Child { .. }), NodeKey::Item { index: item, .. }) => {
                let NodeKind::Map(map) = &self.node(index).kind else { return };
                self.stop(key);
                self.fail_item(index, map, item, timed_out("the child did not end in time"));
                self.continue_map(index, map);
            }
            (Some(Wait::Child { .. }), _) => {
                self.stop(key);
                self.fail_node(index, timed_out("the child did not end in time"));
            }
            (Some(Wait::Signal { .. }), _) => {
                self.fail_node(index, timed_out("the signal did not arrive in time"));
            }
            (Some(Wait::Callback), _) => self.fail_node(index, timed_out("no request arrived in time")),
            (Some(Wait::Event { .. }), _) => {
                self.fail_node(index, timed_out("no event arrived in time"));
            }
            (Some(Wait::Items) | None, _) => {
                self.fail_node(index, timed_out("the items were not completed in time"));
            }
        }
    }
}

/// Whether this due time is still one of an active node.
fn is_due(state: &NodeState, at: Timestamp) -> bool {
    state.is_active() && state.due_times().any(|own| own == at)
}

fn timed_out(message: &str) -> JobError {
    JobError::coded("timeout", message)
}
