//! Results of jobs: those that come in time, and those that come after their nodes were cancelled.

use serde_json::Value;

use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::NodeKey;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::NodeKind;
use crate::workflow::execution::{
    Ending, ExecutionStatus, NodeSettled, NodeStatus, Refusal, TimelineEventKind,
};

impl Transition<'_> {
    /// The job of what was cancelled has ended. A failure changes nothing.
    pub(super) fn late_job(&mut self, index: usize, settled: NodeSettled) -> Result<(), Refusal> {
        let Ok(output) = settled.result else {
            return Err(Refusal::NotAwaited(settled.node));
        };
        let (attempts, started_at) = (settled.attempts, settled.started_at);
        self.late_result(index, &settled.node, output)?;
        if let Some(state) = self.state.nodes.get_mut(&settled.node) {
            state.attempts = attempts;
            state.started_at = started_at.or(state.started_at);
        }
        Ok(())
    }

    /// What was cancelled, or given up, has a result all the same.
    pub(super) fn late_result(&mut self, index: usize, key: &NodeId, output: Value) -> Result<(), Refusal> {
        match NodeKey::of(key) {
            NodeKey::Node(_) => self.late_node(index, output),
            NodeKey::Item { index: item, .. } => {
                self.late_item(index, item, key, output);
                Ok(())
            }
            NodeKey::Compensation(_) => {
                self.count_late_round(key);
                self.compensated(index, output);
                Ok(())
            }
        }
    }

    fn late_node(&mut self, index: usize, output: Value) -> Result<(), Refusal> {
        let node = self.node(index);
        let mut output = output;
        if let Some(repeat) = &node.repeat {
            let (is_over, same) = self.is_over(index, repeat, output);
            if is_over != Ok(true) {
                return Err(Refusal::NotAwaited(node.id.clone()));
            }
            output = same;
        }
        self.count_late_round(&node.id);
        self.complete(index, output, None);
        if node.compensate.is_some() && !self.definition.is_on_failure(index) {
            self.undo_late(&node.id);
        }
        Ok(())
    }

    fn late_item(&mut self, index: usize, item: u32, key: &NodeId, output: Value) {
        self.count_late_round(key);
        let round = self.state.nodes.get(key).map_or(0, |state| state.round);
        if let Some(items) = self.node_state_mut(index).and_then(|state| state.items.as_mut()) {
            items.round_last = items.round_last.max(round);
        }
        self.settle_item(index, item, output, None);
        if let NodeKind::Map(map) = &self.node(index).kind {
            self.continue_map(index, map);
        }
    }

    /// That it was cancelled is the result of its round; what comes late is that of the next one.
    fn count_late_round(&mut self, key: &NodeId) {
        if let Some(state) = self.state.nodes.get_mut(key) {
            state.round += 1;
            state.child_id = None;
        }
    }

    /// What completed last is undone first. An execution that had ended goes back to undoing.
    fn undo_late(&mut self, id: &NodeId) {
        if !self.state.undoes_late {
            return;
        }
        let ending = match self.state.status {
            ExecutionStatus::Compensating => None,
            ExecutionStatus::Failed => self.state.error.take().map(Ending::Failed),
            ExecutionStatus::Cancelled => Some(Ending::Cancelled(None)),
            _ => return,
        };
        if let Some(ending) = ending {
            self.state.status = ExecutionStatus::Compensating;
            self.state.ending = Some(ending);
            self.emit(
                TimelineEventKind::ExecutionCompensating,
                Some(id),
                Some("it completed before it was cancelled".to_owned()),
            );
        }
        self.state.undo.push(id.clone());
    }

    /// Whether a result of it still counts although nobody waits for it. A node of `onFailure` that failed has let go
    /// what comes after it.
    pub(super) fn is_late(&self, index: usize, key: &NodeId) -> bool {
        self.state.nodes.get(key).is_some_and(|state| match state.status {
            NodeStatus::Cancelled => true,
            NodeStatus::Failed => !self.definition.is_on_failure(index),
            _ => false,
        })
    }
}

// Jobs that ended for good: of nodes, of items, of compensations.

impl Transition<'_> {
    /// A duplicate, or the answer of an earlier round, changes nothing. A result that was accepted before its node was
    /// cancelled counts.
    pub(super) fn job_settled(&mut self, settled: NodeSettled) -> Result<(), Refusal> {
        let named = NodeKey::of(&settled.node);
        let index = self.definition.graph.index.get(named.node()).copied();
        let is_cancelled = self.state.nodes.get(&settled.node).is_some_and(|state| {
            state.status == NodeStatus::Cancelled && state.job_id == Some(settled.job_id)
        });
        if let (true, Some(index)) = (is_cancelled, index) {
            return self.late_job(index, settled);
        }
        let state = self.state.nodes.get_mut(&settled.node);
        let state =
            state.filter(|state| state.status == NodeStatus::Running && state.job_id == Some(settled.job_id));
        let (Some(index), Some(state)) = (index, state) else {
            return Err(Refusal::NotAwaited(settled.node));
        };
        state.attempts = settled.attempts;
        state.started_at = settled.started_at.or(state.started_at);
        match (named, settled.result.map_err(JobError::bounded)) {
            (NodeKey::Node(_), Ok(output)) => self.succeed(index, output),
            (NodeKey::Node(_), Err(error)) => self.fail_node(index, error),
            (NodeKey::Compensation(_), Ok(output)) => self.compensated(index, output),
            (NodeKey::Compensation(_), Err(error)) => self.compensation_failed(index, error),
            (NodeKey::Item { index: item, .. }, result) => {
                let NodeKind::Map(map) = &self.node(index).kind else { return Ok(()) };
                match result {
                    Ok(output) => self.settle_item(index, item, output, None),
                    Err(error) => self.fail_item(index, map, item, error),
                }
                self.continue_map(index, map);
            }
        }
        Ok(())
    }
}
