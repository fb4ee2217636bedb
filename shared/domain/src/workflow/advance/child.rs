//! Children that ended, or could not be started.
//!
//! A child that failed can go on, see `requeue`. One that was asked to stop is heard of once more when it has undone what
//! it did; an execution that undoes its own work waits for that.

use serde_json::Value;

use crate::failure::JobError;
use crate::id::ExecutionId;
use crate::job;
use crate::names::NodeId;
use crate::workflow::NodeKey;
use crate::workflow::advance::start::STEPS_MAX;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::{NodeKind, RetrySpec};
use crate::workflow::execution::{NodeState, NodeStatus, Refusal, TimelineEventKind, Wait};

/// The code of a child that was cancelled.
const CODE_CANCELLED: &str = "cancelled";

impl Transition<'_> {
    /// There is no child, so none can go on.
    pub(super) fn child_refused(
        &mut self,
        key: &NodeId,
        child_id: ExecutionId,
        error: JobError,
    ) -> Result<(), Refusal> {
        if let Some(state) = self.state.nodes.get_mut(key)
            && state.wait == Some(Wait::Child { execution_id: child_id })
        {
            state.child_id = None;
        }
        self.child_settled(key, child_id, Err(error))
    }

    /// A child of an earlier round, or of a node that no longer waits for it, changes nothing, unless it was asked to
    /// stop or completed before that.
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
        let Some(index) = index else {
            return Err(Refusal::NotAwaited(key.clone()));
        };
        if !is_awaited {
            return self.stopped_child_settled(index, key, child_id, result);
        }
        let can_go_on = result.as_ref().is_err_and(|error| !is_cancelled(error));
        if let Some(state) = self.state.nodes.get_mut(key) {
            state.wait = None;
            state.due_at = None;
            state.child_id = state.child_id.filter(|_| can_go_on);
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

    /// A child that nobody waits for any more has ended.
    fn stopped_child_settled(
        &mut self,
        index: usize,
        key: &NodeId,
        child_id: ExecutionId,
        result: Result<Value, JobError>,
    ) -> Result<(), Refusal> {
        let was_stopping = self.state.stopping.contains(&child_id);
        let is_last = self.state.nodes.get(key).is_some_and(|state| state.child_id == Some(child_id));
        match result {
            Ok(output) if is_last && self.is_late(index, key) => {
                let refused = self.late_result(index, key, output).err();
                if let Some(refusal) = refused.filter(|_| !was_stopping) {
                    return Err(refusal);
                }
                if let Some(state) = self.state.nodes.get_mut(key) {
                    state.child_id = None;
                }
            }
            Err(error) if is_last => {
                if let Some(state) = self.state.nodes.get_mut(key).filter(|_| is_cancelled(&error)) {
                    state.child_id = None;
                }
            }
            _ if was_stopping => {}
            _ => return Err(Refusal::NotAwaited(key.clone())),
        }
        self.state.stopping.retain(|stopping| *stopping != child_id);
        self.restart_stopped(index, key);
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
        let may = has_steps && !job::is_unstarted(error);
        let Some(state) = state.filter(|state| may && state.attempts <= retries_max) else {
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
        let detail = format!("child {tries} failed and is retried: {}", error.message);
        self.emit(TimelineEventKind::NodeChildFailed, Some(key), Some(detail));
        true
    }
}

/// Whether this is what becomes of a child that was cancelled, or that nobody started in time.
fn is_cancelled(error: &JobError) -> bool {
    error.code.as_deref() == Some(CODE_CANCELLED) || job::is_unstarted(error)
}
