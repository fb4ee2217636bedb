//! Children that ended, or could not be started.

use serde_json::Value;

use crate::failure::JobError;
use crate::id::ExecutionId;
use crate::names::NodeId;
use crate::workflow::advance::start::STEPS_MAX;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::{NodeKind, RetrySpec};
use crate::workflow::execution::{NodeState, NodeStatus, Refusal, Wait};
use crate::workflow::key::NodeKey;

impl Transition<'_> {
    /// A child of an earlier round, or of a node that no longer waits for it, changes nothing.
    pub(super) fn child_settled(
        &mut self,
        key: &NodeId,
        child_id: ExecutionId,
        result: Result<Value, JobError>,
    ) -> Result<(), Refusal> {
        let is_awaited = self.state.nodes.get(key).is_some_and(|state| {
            state.status == NodeStatus::Waiting && state.wait == Some(Wait::Child { execution_id: child_id })
        });
        let named = NodeKey::of(key);
        let index = self.definition.graph.index.get(named.node()).copied();
        let (true, Some(index)) = (is_awaited, index) else {
            return Err(Refusal::NotAwaited(key.clone()));
        };
        if let Some(state) = self.state.nodes.get_mut(key) {
            state.wait = None;
            state.due_at = None;
        }
        match (named, result.map_err(JobError::bounded)) {
            (NodeKey::Item { index: item, .. }, result) => self.item_child_settled(index, item, key, result),
            (_, Ok(output)) => self.succeed(index, output),
            (_, Err(error)) => {
                if self.is_tried_again(key, self.node(index).retry, &error) {
                    self.begin_work(index, self.node(index));
                } else {
                    self.fail_node(index, error);
                }
            }
        }
        Ok(())
    }

    fn item_child_settled(&mut self, index: usize, item: u32, key: &NodeId, result: Result<Value, JobError>) {
        let NodeKind::Map(map) = &self.node(index).kind else { return };
        match result {
            Ok(output) => self.settle_item(index, item, output, None),
            Err(error) => {
                if self.is_tried_again(key, map.task.retry, &error) {
                    self.begin_item(index, map, item);
                } else {
                    self.fail_item(index, map, item, error);
                }
            }
        }
        self.continue_map(index, map);
    }

    /// Whether a child that failed is followed by another one: then the next round has begun.
    fn is_tried_again(&mut self, key: &NodeId, retry: Option<RetrySpec>, error: &JobError) -> bool {
        let now = self.now;
        let retries_max = retry.and_then(|retry| retry.retries_max).unwrap_or(0);
        let has_steps = self.state.steps < STEPS_MAX;
        let state = self.state.nodes.get_mut(key);
        let Some(state) = state.filter(|state| has_steps && state.attempts <= retries_max) else {
            return false;
        };
        self.state.steps += 1;
        // The children before it count as attempts of this one round, of which only the last leaves a result.
        *state = NodeState {
            status: NodeStatus::Running,
            round: state.round + 1,
            attempts: state.attempts,
            started_at: Some(now),
            repeats: state.repeats,
            ..NodeState::pending(0)
        };
        let tries = state.attempts;
        let detail = format!("child {tries} failed and is followed by another: {}", error.message);
        self.emit("node_child_failed", Some(key), Some(detail));
        true
    }
}
