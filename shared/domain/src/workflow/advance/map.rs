//! `MAP`: starts items as its concurrency allows, and puts their outputs together when all are done.

use std::sync::Arc;

use serde_json::Value;

use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::advance::start::EVENT_BYTES_MAX;
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::{CODE_EXPRESSION, to_job_error};
use crate::workflow::definition::{MapSpec, NodeKind};
use crate::workflow::execution::{MapState, NodeState, NodeStatus, TimelineEventKind, Wait};
use crate::workflow::expression::{EvaluationError, OUTPUT_BYTES_MAX, check_bounds};
use crate::workflow::{NodeKey, item_key};

/// The code of a `MAP` whose results are no output.
const CODE_TOO_LARGE: &str = "output_too_large";

/// How many items one `MAP` may have.
pub const MAP_ITEMS_MAX: usize = 10_000;

/// How many items of a `MAP` may be under way at once that does not say so itself.
pub const CONCURRENCY_DEFAULT: u32 = 100;

/// How many items one execution may start in all its `MAP`s, retries and rounds included.
pub const ITEMS_STARTED_MAX: u32 = 50_000;

impl Transition<'_> {
    /// Starts a `MAP`, or goes on with one that failed or was cancelled: what completed of it stays done.
    pub(super) fn begin_map(&mut self, index: usize, map: &MapSpec) {
        self.record_attempt(index);
        let values = match self.evaluate_items(index, map) {
            Ok(values) => values,
            Err(error) => {
                self.fail_node(index, error);
                return;
            }
        };
        let due_at = self.timeout_of(index);
        let total = values.len() as u32;
        let before = self.node_state(index).and_then(|state| state.items.as_ref());
        let is_resumed = before.is_some_and(|items| items.next > 0 && items.total == total);
        if !is_resumed {
            self.forget_items(&self.node(index).id);
        }
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        match &mut state.items {
            Some(items) if is_resumed => items.values = Some(Arc::new(values)),
            items => {
                let round = items.as_ref().map_or(0, |before| before.round_last) + 1;
                *items = Some(MapState {
                    total,
                    next: 0,
                    done: 0,
                    completed: vec![0; values.len().div_ceil(8)],
                    bytes: 0,
                    round_first: round,
                    round_last: round,
                    is_paused: false,
                    values: Some(Arc::new(values)),
                });
            }
        }
        state.due_at = due_at;
        if let NodeKind::Workflow { .. } = map.task.kind {
            state.status = NodeStatus::Waiting;
            state.wait = Some(Wait::Items);
        } else {
            state.status = NodeStatus::Running;
        }
        let id = &self.node(index).id;
        self.emit(TimelineEventKind::NodeStarted, Some(id), Some(format!("{total} items")));
        if is_resumed {
            self.restart_items(index, map);
        }
        self.continue_map(index, map);
    }

    fn evaluate_items(&self, index: usize, map: &MapSpec) -> Result<Vec<Value>, JobError> {
        let value = map.items.render(&self.scope_of(index)).map_err(|error| to_job_error(&error))?;
        let Value::Array(values) = value else {
            return Err(JobError::coded(CODE_EXPRESSION, "`items` does not give a list"));
        };
        if values.len() > MAP_ITEMS_MAX {
            let message =
                format!("`items` gives {} items; at most {MAP_ITEMS_MAX} are allowed", values.len());
            return Err(JobError::coded("too_many_items", message));
        }
        Ok(values)
    }

    /// The items, evaluated again where the state was loaded since.
    pub(super) fn values_of(&mut self, index: usize, map: &MapSpec) -> Result<Arc<Vec<Value>>, JobError> {
        let known = self.node_state(index).and_then(|state| state.items.as_ref()?.values.clone());
        if let Some(values) = known {
            return Ok(values);
        }
        let values = Arc::new(self.evaluate_items(index, map)?);
        if let Some(items) = self.node_state_mut(index).and_then(|state| state.items.as_mut()) {
            items.values = Some(Arc::clone(&values));
        }
        Ok(values)
    }

    /// Starts as many items as may be under way, and ends the `MAP` when all are done.
    pub(super) fn continue_map(&mut self, index: usize, map: &MapSpec) {
        self.set_paused(index, false);
        if !self.is_live(index) {
            return;
        }
        while !self.is_too_large(index)
            && let Some(item) = self.next_item(index, map)
        {
            self.start_item(index, map, item);
            // The others start with the next event, which is due at once.
            if self.is_full() && self.may_start_more(index, map) {
                self.set_paused(index, true);
                break;
            }
        }
        if self.is_too_large(index) {
            let message = format!("the results of the items take more than {OUTPUT_BYTES_MAX} bytes");
            self.fail_node(index, JobError::coded(CODE_TOO_LARGE, message));
            return;
        }
        let is_done = self.node_state(index).is_some_and(|state| {
            state.is_active() && state.items.as_ref().is_some_and(|items| items.done == items.total)
        });
        if is_done {
            self.finish_map(index);
        }
    }

    /// Whether the items that are done fill the list of results by themselves: then it is of no use to go on.
    fn is_too_large(&self, index: usize) -> bool {
        self.node_state(index).filter(|state| state.is_active()).is_some_and(|state| {
            state.items.as_ref().is_some_and(|items| items.bytes as usize > OUTPUT_BYTES_MAX)
        })
    }

    /// Takes the next item that may start.
    fn next_item(&mut self, index: usize, map: &MapSpec) -> Option<u32> {
        if !self.may_start_more(index, map) {
            return None;
        }
        let items = self.node_state_mut(index)?.items.as_mut()?;
        items.next += 1;
        Some(items.next - 1)
    }

    /// Whether there are items left, and as few under way as leave room for another.
    fn may_start_more(&self, index: usize, map: &MapSpec) -> bool {
        let state = self.node_state(index).filter(|state| state.is_active());
        state.and_then(|state| state.items.as_ref()).is_some_and(|items| {
            let under_way = items.next.saturating_sub(items.done);
            items.next < items.total && under_way < map.concurrency.unwrap_or(CONCURRENCY_DEFAULT)
        })
    }

    fn set_paused(&mut self, index: usize, is_paused: bool) {
        if let Some(items) = self.node_state_mut(index).and_then(|state| state.items.as_mut()) {
            items.is_paused = is_paused;
        }
    }

    /// Goes on with the `MAP`s that have left items to this event.
    pub(super) fn continue_paused(&mut self) {
        let is_paused = |state: &NodeState| state.items.as_ref().is_some_and(|items| items.is_paused);
        let paused: Vec<usize> = (0..self.definition.nodes.len())
            .filter(|&index| {
                self.node_state(index).is_some_and(|state| state.is_active() && is_paused(state))
            })
            .collect();
        for index in paused {
            if let NodeKind::Map(map) = &self.node(index).kind {
                self.continue_map(index, map);
            }
        }
    }

    /// Starts again the items that failed or were cancelled. They were under way together, so all of them may be.
    ///
    /// One whose child is to stop starts when that has ended, see `restart_stopped`: the child cannot go on before, and
    /// whatever took its place would get in the way of its compensations.
    pub(super) fn restart_items(&mut self, index: usize, map: &MapSpec) {
        let id = &self.node(index).id;
        let stopping = &self.state.stopping;
        let mut items: Vec<u32> = self
            .items_of(id)
            .filter(|(_, state)| matches!(state.status, NodeStatus::Failed | NodeStatus::Cancelled))
            .filter(|(_, state)| state.child_id.is_none_or(|child| !stopping.contains(&child)))
            .filter_map(|(key, _)| item_of(key))
            .collect();
        items.sort_unstable();
        for item in items {
            // Then the execution ends.
            if self.bytes() > EVENT_BYTES_MAX {
                break;
            }
            self.start_item(index, map, item);
        }
    }

    /// The child of an item has stopped: where its `MAP` goes on already, the item starts again.
    pub(super) fn restart_stopped(&mut self, index: usize, key: &NodeId) {
        if let NodeKey::Item { .. } = NodeKey::of(key)
            && let NodeKind::Map(map) = &self.node(index).kind
            && self.is_live(index)
            && self.node_state(index).is_some_and(NodeState::is_active)
        {
            self.restart_items(index, map);
            self.continue_map(index, map);
        }
    }

    /// Puts the outputs of the items together: once, when all are done.
    fn finish_map(&mut self, index: usize) {
        let id = &self.node(index).id;
        let total =
            self.node_state(index).and_then(|state| state.items.as_ref()).map_or(0, |items| items.total);
        let outputs = (0..total).map(|item| self.outputs.remove(&item_key(id, item)).unwrap_or_default());
        let output = Value::Array(outputs.collect());
        let Err(fault) = check_bounds(&output) else {
            self.forget_items(id);
            self.succeed(index, output);
            return;
        };
        if let Value::Array(outputs) = output {
            let back = outputs.into_iter().zip(0..).map(|(output, item)| (item_key(id, item), output));
            self.outputs.extend(back);
        }
        let code =
            if matches!(fault, EvaluationError::TooLarge { .. }) { CODE_TOO_LARGE } else { CODE_EXPRESSION };
        self.fail_node(index, JobError::coded(code, format!("the results of the items: {fault}")));
    }

    /// The `MAP` is done with: the next round begins with all items. How many there were stays to be shown.
    pub(super) fn forget_items(&mut self, map: &NodeId) {
        self.drop_item_states(map);
        self.drop_item_outputs(map);
        if let Some(items) = self.state.nodes.get_mut(map).and_then(|state| state.items.as_mut()) {
            items.next = 0;
            items.completed = Vec::new();
            items.values = None;
        }
    }
}

/// Which item a key names.
fn item_of(key: &NodeId) -> Option<u32> {
    match NodeKey::of(key) {
        NodeKey::Item { index, .. } => Some(index),
        NodeKey::Node(_) | NodeKey::Compensation(_) => None,
    }
}
