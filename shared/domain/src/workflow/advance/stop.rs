//! Stops what is under way: jobs, children, user tasks. What this very event was to begin is not begun at all.

use std::collections::HashSet;

use crate::id::{ExecutionId, JobId};
use crate::names::NodeId;
use crate::workflow::NodeKey;
use crate::workflow::advance::transition::Transition;
use crate::workflow::execution::{Effect, NodeState, NodeStatus, TimelineEventKind, UserTaskEnd, Wait};

/// What is to be stopped.
#[derive(Default)]
struct Stopped {
    jobs: Vec<JobId>,
    children: Vec<ExecutionId>,
    tasks: Vec<(NodeId, u32)>,
}

impl Stopped {
    fn add(&mut self, key: &NodeId, state: &NodeState) {
        if state.status == NodeStatus::Running {
            self.jobs.extend(state.job_id);
        }
        match &state.wait {
            Some(Wait::Child { execution_id }) => self.children.push(*execution_id),
            Some(Wait::UserTask { .. }) => self.tasks.push((key.clone(), state.round)),
            _ => {}
        }
    }
}

impl Transition<'_> {
    /// Cancels everything that is under way. Children undo what they did, if this execution does; otherwise those that
    /// do so stop.
    pub(super) fn cancel_running(&mut self, undoes: bool) {
        let keys: Vec<NodeId> = self
            .state
            .nodes
            .iter()
            .filter(|(_, state)| state.is_active())
            .map(|(key, _)| key.clone())
            .collect();
        self.cancel(&keys, undoes);
        if !undoes && !self.state.stopping.is_empty() {
            let children = std::mem::take(&mut self.state.stopping);
            self.effects.push(Effect::CancelChildren { children, undoes });
        }
        self.state.undoing = 0;
        self.ready.clear();
        self.again.clear();
    }

    /// Cancels the items of a `MAP` that are under way.
    pub(super) fn stop_items(&mut self, map: &NodeId) {
        let keys: Vec<NodeId> =
            self.items_of(map).filter(|(_, state)| state.is_active()).map(|(key, _)| key.clone()).collect();
        self.cancel(&keys, true);
    }

    fn cancel(&mut self, keys: &[NodeId], undoes: bool) {
        let now = self.now;
        let mut stopped = Stopped::default();
        for key in keys {
            let Some(state) = self.state.nodes.get_mut(key) else {
                continue;
            };
            stopped.add(key, state);
            state.status = NodeStatus::Cancelled;
            state.finished_at = Some(now);
            state.wait = None;
            state.due_at = None;
        }
        self.call_off(stopped, undoes);
        for key in keys {
            self.record(key, NodeStatus::Cancelled, None);
            if !matches!(NodeKey::of(key), NodeKey::Item { .. }) {
                self.emit(TimelineEventKind::NodeCancelled, Some(key), None);
            }
        }
    }

    /// Stops what one node or item has under way, so that a child undoes what it did; its state is the caller's to
    /// change.
    pub(super) fn stop(&mut self, key: &NodeId) {
        let mut stopped = Stopped::default();
        if let Some(state) = self.state.nodes.get(key) {
            stopped.add(key, state);
        }
        self.call_off(stopped, true);
    }

    fn call_off(&mut self, mut stopped: Stopped, undoes: bool) {
        let jobs: HashSet<JobId> = stopped.jobs.iter().copied().collect();
        let children: HashSet<ExecutionId> = stopped.children.iter().copied().collect();
        let (mut jobs_unborn, mut children_unborn) = (HashSet::new(), HashSet::new());
        let nodes = &mut self.state.nodes;
        self.effects.retain(|effect| match effect {
            Effect::EnqueueNode(job) if jobs.contains(&job.id) => {
                jobs_unborn.insert(job.id);
                false
            }
            Effect::StartChild(child) if children.contains(&child.id) => {
                children_unborn.insert(child.id);
                // There is none that could go on.
                if let Some(state) = nodes.get_mut(&child.node) {
                    state.child_id = None;
                }
                false
            }
            Effect::RetryChild { child_id, .. } if children.contains(child_id) => {
                children_unborn.insert(*child_id);
                false
            }
            Effect::OpenUserTask(task) => {
                let before = stopped.tasks.len();
                stopped.tasks.retain(|(node, round)| *node != task.node || *round != task.round);
                before == stopped.tasks.len()
            }
            _ => true,
        });
        stopped.jobs.retain(|id| !jobs_unborn.contains(id));
        stopped.children.retain(|id| !children_unborn.contains(id));
        if !stopped.jobs.is_empty() {
            self.effects.push(Effect::CancelJobs(stopped.jobs));
        }
        if !stopped.children.is_empty() {
            if undoes {
                self.state.stopping.extend(&stopped.children);
            }
            self.effects.push(Effect::CancelChildren { children: stopped.children, undoes });
        }
        for (node, round) in stopped.tasks {
            self.effects.push(Effect::CloseUserTask { node, round, end: UserTaskEnd::Cancelled });
        }
    }
}
