//! One item of a `MAP`: started, done, failed.

use std::ops::Bound;

use serde_json::{Value, json};

use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::advance::map::ITEMS_STARTED_MAX;
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::{Terms, Work, prepare};
use crate::workflow::definition::{MapSpec, OnItemError};
use crate::workflow::execution::{MapState, NodeState, NodeStatus, TimelineEventKind};
use crate::workflow::expression::{Local, bytes_of};
use crate::workflow::item_key;

impl Transition<'_> {
    /// Starts an item, for the first time or again.
    pub(super) fn start_item(&mut self, index: usize, map: &MapSpec, item: u32) {
        if !self.node_state(index).is_some_and(NodeState::is_active) {
            return;
        }
        if self.state.items_started >= ITEMS_STARTED_MAX {
            let message = format!("the execution started more than {ITEMS_STARTED_MAX} items");
            self.fail_node(index, JobError::coded("too_many_items", message));
            return;
        }
        self.state.items_started += 1;
        let now = self.now;
        let key = item_key(&self.node(index).id, item);
        let before = self.state.nodes.get(&key).map(|state| state.round);
        let child_id = self.state.nodes.get(&key).and_then(|state| state.child_id);
        let first = self.items_state(index).map_or(1, |items| items.round_first);
        let state = NodeState {
            status: NodeStatus::Running,
            round: before.map_or(first, |round| round + 1),
            started_at: Some(now),
            child_id,
            ..NodeState::pending(0)
        };
        self.state.nodes.insert(key, state);
        self.begin_item(index, map, item);
    }

    /// Does what an item does, in the round that its state says.
    pub(super) fn begin_item(&mut self, index: usize, map: &MapSpec, item: u32) {
        let key = item_key(&self.node(index).id, item);
        let round = self.state.nodes.get(&key).map_or(0, |state| state.round);
        if let Some(items) = self.node_state_mut(index).and_then(|state| state.items.as_mut()) {
            items.round_last = items.round_last.max(round);
        }
        let work = self.values_of(index, map).and_then(|values| {
            let value = values.get(item as usize).unwrap_or(&Value::Null);
            let error = self.scope_of(index).local.error;
            let local = Local { item: Some(value), index: Some(item), error, event: None };
            prepare(&map.task.kind, &self.node(index).keys, &self.scope(local))
        });
        let node = self.node(index);
        let terms = Terms::of_task(&map.task, node, self.context.tier).expiring(node.expires_in);
        match work {
            Ok(Work::Done(output)) => {
                if let Some(state) = self.state.nodes.get_mut(&key) {
                    state.attempts = 1;
                }
                self.settle_item(index, item, output, None);
            }
            Ok(Work::Job { job_type, data, keys }) => self.enqueue(&key, terms, (job_type, data, keys)),
            Ok(Work::Child { workflow, version, input }) => {
                self.start_child(&key, terms, (workflow, version), input);
            }
            Err(error) => self.fail_item(index, map, item, error),
        }
    }

    /// An item is done. `error` is set where it failed and its `MAP` collects errors. Its state goes, its output stays.
    pub(super) fn settle_item(&mut self, index: usize, item: u32, output: Value, error: Option<JobError>) {
        let key = item_key(&self.node(index).id, item);
        if let Some(state) = self.state.nodes.get_mut(&key) {
            state.error = error;
        }
        self.record(&key, NodeStatus::Completed, Some(output.clone()));
        self.state.nodes.remove(&key);
        let bytes = bytes_of(&output) as u32;
        self.outputs.insert(key, output);
        let Some(items) = self.node_state_mut(index).and_then(|state| state.items.as_mut()) else {
            return;
        };
        items.done += 1;
        items.bytes = items.bytes.saturating_add(bytes);
        if let Some(byte) = items.completed.get_mut(item as usize / 8) {
            *byte |= 1 << (item % 8);
        }
    }

    /// An item failed for good: its error is its result, or the `MAP` fails with it.
    pub(super) fn fail_item(&mut self, index: usize, map: &MapSpec, item: u32, mut error: JobError) {
        let now = self.now;
        let key = item_key(&self.node(index).id, item);
        self.emit(TimelineEventKind::NodeFailed, Some(&key), Some(error.message.clone()));
        if map.on_item_error == OnItemError::Collect {
            self.settle_item(index, item, json!({"error": error}), Some(error));
            return;
        }
        if let Some(state) = self.state.nodes.get_mut(&key) {
            state.status = NodeStatus::Failed;
            state.finished_at = Some(now);
            state.wait = None;
            state.due_at = None;
            state.error = Some(error.clone());
        }
        self.record(&key, NodeStatus::Failed, None);
        // The handler's own details are worth more than the number of the item, which the timeline has as well.
        error.details.get_or_insert_with(|| json!({"index": item}));
        self.fail_node(index, error);
    }

    fn items_state(&self, index: usize) -> Option<&MapState> {
        self.node_state(index).and_then(|state| state.items.as_ref())
    }

    /// The items of a `MAP` that have a state: those under way, failed or cancelled. In the order of their keys.
    pub(super) fn items_of(&self, map: &NodeId) -> impl Iterator<Item = (&NodeId, &NodeState)> {
        // The character after `[` ends the range.
        let (first, end) = (format!("{map}["), format!("{map}\\"));
        self.state.nodes.range::<str, _>((Bound::Included(first.as_str()), Bound::Excluded(end.as_str())))
    }

    pub(super) fn drop_item_outputs(&mut self, map: &NodeId) {
        let (first, end) = (format!("{map}["), format!("{map}\\"));
        let range = (Bound::Included(first.as_str()), Bound::Excluded(end.as_str()));
        let keys: Vec<NodeId> = self.outputs.range::<str, _>(range).map(|(key, _)| key.clone()).collect();
        for key in keys {
            self.outputs.remove(&key);
        }
    }

    pub(super) fn drop_item_states(&mut self, map: &NodeId) {
        let keys: Vec<NodeId> = self.items_of(map).map(|(key, _)| key.clone()).collect();
        for key in keys {
            self.state.nodes.remove(&key);
        }
    }
}
