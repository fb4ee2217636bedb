//! Dead letters that were requeued: their jobs run again, and so does what waits for them. Children that had failed and
//! go on are the same to the nodes that started them.

use crate::id::{ExecutionId, Id, JobId};
use crate::names::NodeId;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::NodeKind;
use crate::workflow::execution::{
    Effect, Ending, ExecutionStatus, NodeState, NodeStatus, Refusal, TimelineEventKind, Wait,
};
use crate::workflow::{NodeKey, compensation_key};

/// What goes on after it had failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resumed {
    /// A job whose dead letter was requeued.
    Job(JobId),
    /// A child.
    Child(ExecutionId),
}

impl Resumed {
    fn is_of(self, state: &NodeState) -> bool {
        match self {
            Self::Job(id) => state.job_id == Some(id),
            Self::Child(id) => state.child_id == Some(id),
        }
    }
}

impl Transition<'_> {
    /// A dead letter was requeued, or a child goes on: its node runs again as the same job or waits for the same child,
    /// and its cancelled siblings start again.
    pub(super) fn requeued(&mut self, key: &NodeId, resumed: Resumed) -> Result<(), Refusal> {
        let status = self.state.status;
        if matches!(status, ExecutionStatus::Completed | ExecutionStatus::Cancelled) {
            return Err(Refusal::Finished(status.as_str()));
        }
        let named = NodeKey::of(key);
        let index = self.definition.graph.index.get(named.node()).copied();
        let awaited = self.state.nodes.get(key).filter(|state| resumed.is_of(state));
        let (Some(index), Some(state)) = (index, awaited) else {
            return Err(Refusal::NotAwaited(key.clone()));
        };
        match state.status {
            // It was requeued before its failure was heard of.
            NodeStatus::Running | NodeStatus::Waiting => {
                self.emit(TimelineEventKind::NodeRequeued, Some(key), None);
                return Ok(());
            }
            NodeStatus::Failed => {}
            _ => return Err(Refusal::NotAwaited(key.clone())),
        }
        if matches!(named, NodeKey::Compensation(_)) || self.definition.is_on_failure(index) {
            return self.requeue_of_ending(index, key, &named, resumed);
        }
        if matches!(self.state.ending, Some(Ending::Cancelled(_))) {
            return Err(Refusal::Compensating);
        }
        if self.is_built_on_undone(index) {
            self.start_over(index, key, resumed);
        } else {
            self.run_again(key, resumed);
            self.reopen_map(index, key);
        }
        match status {
            ExecutionStatus::Compensating => {
                // Which job or child it is does not matter any more: the key says what goes on.
                let id = match resumed {
                    Resumed::Job(id) => id,
                    Resumed::Child(id) => Id::from_uuid(id.uuid()),
                };
                self.state.requeued.push((key.clone(), id));
            }
            ExecutionStatus::Failed => {
                self.reopen();
                self.go_on_from(key);
            }
            _ => self.go_on_from(key),
        }
        Ok(())
    }

    /// A compensation or a node of `onFailure` runs again; then the execution has failed as before.
    fn requeue_of_ending(
        &mut self,
        index: usize,
        key: &NodeId,
        named: &NodeKey,
        resumed: Resumed,
    ) -> Result<(), Refusal> {
        match self.state.status {
            ExecutionStatus::Failed => {
                self.state.status = ExecutionStatus::Compensating;
                self.state.ending = self.state.error.take().map(Ending::Failed);
                self.emit(TimelineEventKind::ExecutionCompensating, None, None);
            }
            ExecutionStatus::Compensating => {}
            _ => return Err(Refusal::NotAwaited(key.clone())),
        }
        self.run_again(key, resumed);
        if matches!(named, NodeKey::Compensation(_)) {
            self.state.undoing += 1;
        } else {
            self.reopen_map(index, key);
            // Nodes behind it wait for it again; those that it let go were skipped and stay so.
            self.state.recount(self.definition);
            self.go_on_from(key);
        }
        Ok(())
    }

    /// Whether something that this node was built on is undone, or will be.
    fn is_built_on_undone(&self, index: usize) -> bool {
        let mut seen = vec![false; self.definition.nodes.len()];
        let mut next = self.definition.graph.dependencies[index].clone();
        while let Some(before) = next.pop() {
            if std::mem::replace(&mut seen[before], true) {
                continue;
            }
            let id = &self.node(before).id;
            let is_undoing = self.state.nodes.get(&compensation_key(id)).is_some_and(NodeState::is_active);
            let is_undone = self.node_state(before).is_some_and(|state| state.is_undone);
            if is_undone || is_undoing || self.state.undo.contains(id) {
                return true;
            }
            next.extend(&self.definition.graph.dependencies[before]);
        }
        false
    }

    /// What it would go on from is undone: what was requeued is stopped, and the node starts again after those before
    /// it, as after a retry of the execution.
    fn start_over(&mut self, index: usize, key: &NodeId, resumed: Resumed) {
        if let Some(state) = self.node_state_mut(index) {
            *state = NodeState {
                round: state.round,
                items: state.items.take(),
                has_lost_output: !state.has_output(),
                ..NodeState::pending(0)
            };
        }
        self.state.recount(self.definition);
        match resumed {
            Resumed::Job(id) => self.effects.push(Effect::CancelJobs(vec![id])),
            Resumed::Child(id) => {
                self.state.stopping.push(id);
                self.effects.push(Effect::CancelChildren { children: vec![id], undoes: true });
            }
        }
        let why = "what came before it is undone and runs again first".to_owned();
        self.emit(TimelineEventKind::NodeRequeued, Some(key), Some(why));
    }

    fn run_again(&mut self, key: &NodeId, resumed: Resumed) {
        let now = self.now;
        if let NodeKey::Node(_) = NodeKey::of(key) {
            self.state.steps = self.state.steps.saturating_add(1);
        }
        if let Some(state) = self.state.nodes.get_mut(key) {
            let next = NodeState {
                round: state.round + 1,
                started_at: Some(now),
                repeats: state.repeats,
                ..NodeState::pending(0)
            };
            *state = match resumed {
                Resumed::Job(id) => NodeState { status: NodeStatus::Running, job_id: Some(id), ..next },
                Resumed::Child(id) => NodeState {
                    status: NodeStatus::Waiting,
                    wait: Some(Wait::Child { execution_id: id }),
                    child_id: Some(id),
                    attempts: state.attempts,
                    ..next
                },
            };
        }
        self.emit(TimelineEventKind::NodeRequeued, Some(key), None);
    }

    /// The `MAP` of an item that was requeued is under way again.
    fn reopen_map(&mut self, index: usize, key: &NodeId) {
        let NodeKey::Item { .. } = NodeKey::of(key) else { return };
        let now = self.now;
        let round = self.state.nodes.get(key).map_or(0, |state| state.round);
        let has_children = matches!(
            &self.node(index).kind,
            NodeKind::Map(map) if matches!(map.task.kind, NodeKind::Workflow { .. })
        );
        let Some(state) = self.node_state_mut(index) else {
            return;
        };
        if let Some(items) = &mut state.items {
            items.round_last = items.round_last.max(round);
        }
        if state.is_active() {
            return;
        }
        *state = NodeState {
            status: if has_children { NodeStatus::Waiting } else { NodeStatus::Running },
            wait: has_children.then_some(Wait::Items),
            round: state.round + 1,
            attempts: 1,
            started_at: Some(now),
            repeats: state.repeats,
            items: state.items.take(),
            ..NodeState::pending(0)
        };
    }
}

// Brings a failed execution back: from its failed nodes, or from what was requeued while it undid the others.

impl Transition<'_> {
    /// Somebody wants a failed execution to go on: failed, cancelled and undone nodes start again, each as another job.
    ///
    /// One that was failed from outside, because its owners were lost, does not know of it: it goes on from where it
    /// stands, and its timeout counts from now as after any retry.
    pub(super) fn retried(&mut self) -> Result<(), Refusal> {
        match self.state.status {
            ExecutionStatus::Failed => {
                self.emit(TimelineEventKind::ExecutionRetried, None, None);
                self.reopen();
            }
            ExecutionStatus::Running => {
                self.emit(TimelineEventKind::ExecutionRetried, None, None);
                self.set_deadline();
            }
            status => return Err(Refusal::NotFailed(status.as_str())),
        }
        Ok(())
    }

    /// What completed is undone, and dead letters were requeued meanwhile: the execution goes on from them.
    pub(super) fn resume_requeued(&mut self) {
        self.emit(TimelineEventKind::ExecutionRetried, None, None);
        let requeued = std::mem::take(&mut self.state.requeued);
        self.reopen();
        for (key, _) in requeued {
            self.go_on_from(&key);
        }
    }

    /// A node that was requeued goes on: the `MAP` of an item with its other items, a loop with its next round.
    pub(super) fn go_on_from(&mut self, key: &NodeId) {
        let Some(&index) = self.definition.graph.index.get(NodeKey::of(key).node()) else {
            return;
        };
        let Some(state) = self.node_state(index).filter(|state| state.is_active()) else {
            return;
        };
        if state.wait == Some(Wait::Delay) && state.due_at.is_none() {
            self.end_delay(index);
        } else if let NodeKind::Map(map) = &self.node(index).kind {
            let due_at = self.timeout_of(index);
            if let Some(state) = self.node_state_mut(index) {
                state.due_at = state.due_at.or(due_at);
            }
            self.restart_items(index, map);
            self.continue_map(index, map);
        }
    }

    /// Makes the execution RUNNING and what has to start again PENDING, and finds what can start. Nodes of `onFailure`
    /// are as if they had never run.
    pub(super) fn reopen(&mut self) {
        self.state.status = ExecutionStatus::Running;
        self.state.error = None;
        self.state.ending = None;
        self.state.undoes_late = false;
        self.set_deadline();
        for (index, node) in self.definition.nodes.iter().enumerate() {
            let is_handler = self.definition.is_on_failure(index);
            let Some(state) = self.state.nodes.get_mut(&node.id) else {
                continue;
            };
            let is_chosen = if is_handler {
                state.round > 0
            } else {
                matches!(state.status, NodeStatus::Failed | NodeStatus::Cancelled) || state.is_undone
            };
            if is_chosen {
                let child_id = state.child_id.filter(|_| !is_handler && !state.is_undone);
                *state = NodeState {
                    round: state.round,
                    child_id,
                    items: state.items.take(),
                    has_lost_output: !state.has_output(),
                    ..NodeState::pending(0)
                };
            }
        }
        self.state.recount(self.definition);
        self.drop_stale_items();
        // A child goes on only where nothing before it runs again: otherwise another one gets what that brings.
        for state in self.state.nodes.values_mut().filter(|state| state.waits_for > 0) {
            state.child_id = None;
        }
        self.find_ready();
    }

    /// A `MAP` goes on with what it has done only where nothing before it runs again: then its items may be others.
    fn drop_stale_items(&mut self) {
        for (index, node) in self.definition.nodes.iter().enumerate() {
            let NodeKind::Map(_) = node.kind else { continue };
            let is_stale = self.node_state(index).is_some_and(|state| {
                state.status == NodeStatus::Pending
                    && (state.waits_for > 0 || self.definition.is_on_failure(index))
            });
            if is_stale {
                self.forget_items(&node.id);
            }
        }
    }
}
