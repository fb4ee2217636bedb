//! What one step of an execution is to write: the effects of its events, gathered. No I/O.

use std::collections::HashSet;

use domain::attribute::SetAttribute;
use domain::id::{ExecutionId, JobId};
use domain::names::NodeId;
use domain::workflow::execution::{ChildStart, Decision, Effect, NodeJob, NodeRecord};
use serde_json::Value;
use store::events::EventWaitChange;
use store::executions::{CompletedJob, EventLine, InboxResult, NewExecution, UserTaskChange};

use crate::executions::own::delivered::Ack;

/// What a step is to write besides the state.
#[derive(Default)]
pub(super) struct Step {
    pub(super) records: Vec<NodeRecord>,
    pub(super) events: Vec<EventLine>,
    pub(super) enqueue: Vec<NodeJob>,
    pub(super) cancel: Vec<JobId>,
    /// Children that are still to be looked up and checked.
    pub(super) starts: Vec<ChildStart>,
    pub(super) children: Vec<NewExecution>,
    pub(super) cancel_children: Vec<ExecutionId>,
    /// Children that are to undo what they did.
    pub(super) undo_children: Vec<ExecutionId>,
    /// Children that go on after they failed, with the nodes that wait for them.
    pub(super) retry_children: Vec<(NodeId, ExecutionId)>,
    /// Children that would have to undo what they did, but were never to start or to go on: the execution waits for
    /// their ends.
    pub(super) never_started: Vec<(NodeId, ExecutionId)>,
    pub(super) user_tasks: Vec<UserTaskChange>,
    pub(super) event_waits: Vec<EventWaitChange>,
    /// What the execution is found by from now on.
    pub(super) attributes: Vec<SetAttribute>,
    pub(super) inbox: Vec<InboxResult>,
    /// Jobs whose results were delivered in memory; `acks` is who waits for each.
    pub(super) completed: Vec<CompletedJob>,
    pub(super) acks: Vec<Ack>,
    pub(super) output: Option<Value>,
    /// Whether jobs of nodes become claimable that were held.
    pub(super) releases_held: bool,
    /// Whether an event changed the state.
    pub(super) is_changed: bool,
    /// How many bytes of JSON the inputs and outputs take that its events brought about.
    pub(super) bytes: usize,
    /// Whether entries of the inbox were left to the next step.
    pub(super) has_left: bool,
}

impl Step {
    /// Whether there is something to write.
    pub(super) fn is_due(&self) -> bool {
        self.is_changed || !self.inbox.is_empty()
    }

    pub(super) fn take(&mut self, decision: Decision) {
        self.is_changed = true;
        self.bytes += decision.bytes;
        if decision.output.is_some() {
            self.output = decision.output;
        }
        for effect in decision.effects {
            self.take_effect(effect);
        }
    }

    fn take_effect(&mut self, effect: Effect) {
        match effect {
            Effect::EnqueueNode(job) => self.enqueue.push(job),
            Effect::CancelJobs(jobs) => self.cancel(jobs),
            Effect::StartChild(child) => self.starts.push(child),
            Effect::RetryChild { node, child_id } => self.retry_children.push((node, child_id)),
            Effect::CancelChildren { children, undoes } => self.cancel_children(children, undoes),
            Effect::OpenUserTask(task) => self.user_tasks.push(UserTaskChange::Open(task.into())),
            Effect::EscalateUserTask { node, round, assignee, group } => {
                self.user_tasks.push(UserTaskChange::Escalate { node_id: node, round, assignee, group });
            }
            Effect::CloseUserTask { node, round, end } => {
                self.user_tasks.push(UserTaskChange::Close { node_id: node, round, end });
            }
            Effect::OpenEventWait(wait) => self.event_waits.push(EventWaitChange::Open(wait)),
            Effect::CloseEventWait { node, round } => self.close_event_wait(node, round),
            Effect::RecordNode(record) => self.records.push(record),
            Effect::SetAttributes(set) => self.set_attributes(set),
            Effect::Emit(event) => self.events.push(EventLine {
                kind: event.kind.as_str().to_owned(),
                node_id: event.node,
                detail: event.detail.map(printable),
                at: event.at,
            }),
        }
    }

    /// Of a name that is set twice in a step the later values count.
    fn set_attributes(&mut self, set: Vec<SetAttribute>) {
        for one in set {
            if !one.values.is_empty() {
                self.attributes.retain(|earlier| earlier.name != one.name);
            }
            self.attributes.push(one);
        }
    }

    /// A job that this very step was to enqueue is not enqueued at all.
    fn cancel(&mut self, jobs: Vec<JobId>) {
        let cancelled: HashSet<JobId> = jobs.iter().copied().collect();
        self.enqueue.retain(|job| !cancelled.contains(&job.id));
        self.cancel.extend(jobs);
    }

    /// A wait that this very step was to open is not opened at all.
    fn close_event_wait(&mut self, node: NodeId, round: u32) {
        let before = self.event_waits.len();
        self.event_waits.retain(|change| match change {
            EventWaitChange::Open(wait) => wait.node != node || wait.round != round,
            EventWaitChange::Close { .. } => true,
        });
        if self.event_waits.len() == before {
            self.event_waits.push(EventWaitChange::Close { node_id: node, round });
        }
    }

    /// A child that this very step was to start, or to let go on, is left alone.
    fn cancel_children(&mut self, children: Vec<ExecutionId>, undoes: bool) {
        for id in children {
            let node = self.take_unborn(id);
            match node {
                Some(node) if undoes => self.never_started.push((node, id)),
                Some(_) => {}
                None if undoes => self.undo_children.push(id),
                None => {
                    self.undo_children.retain(|undoing| *undoing != id);
                    self.cancel_children.push(id);
                }
            }
        }
    }

    fn take_unborn(&mut self, id: ExecutionId) -> Option<NodeId> {
        if let Some(place) = self.starts.iter().position(|child| child.id == id) {
            return Some(self.starts.remove(place).node);
        }
        if let Some(place) = self.retry_children.iter().position(|(_, child)| *child == id) {
            return Some(self.retry_children.remove(place).0);
        }
        let place = self.children.iter().position(|child| child.id == id)?;
        self.children.remove(place).parent.map(|parent| parent.node_id)
    }

    /// Whether the commit may bring entries into the execution's own inbox.
    pub(super) fn changes_children(&self) -> bool {
        !self.undo_children.is_empty() || !self.retry_children.is_empty()
    }
}

/// Text that both databases can hold.
fn printable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

#[cfg(test)]
mod tests {
    use domain::names::WorkflowName;
    use domain::queue::Tier;
    use uuid::Uuid;

    use super::*;

    fn child(number: u128) -> ChildStart {
        ChildStart {
            id: ExecutionId::from_uuid(Uuid::from_u128(number)),
            node: NodeId::trusted("child"),
            workflow: WorkflowName::trusted("other"),
            version: None,
            input: Value::Null,
            tier: Tier::Normal,
            expires_in: None,
        }
    }

    #[test]
    fn nul_is_not_stored() {
        assert_eq!(printable("a\0b".into()), "a\u{fffd}b");
    }

    #[test]
    fn a_child_that_is_cancelled_in_the_same_step_is_never_started() {
        let mut step = Step::default();
        step.take_effect(Effect::StartChild(child(1)));
        step.take_effect(Effect::StartChild(child(2)));
        let older = child(3).id;
        step.take_effect(Effect::CancelChildren { children: vec![child(1).id, older], undoes: false });
        assert_eq!(step.starts, [child(2)]);
        assert_eq!(step.cancel_children, [older]);
        step.take_effect(Effect::CancelChildren { children: vec![child(2).id, older], undoes: true });
        assert_eq!((step.starts.len(), step.undo_children.as_slice()), (0, [older].as_slice()));
        assert_eq!(step.never_started, [(child(2).node, child(2).id)], "its end is heard of all the same");
    }
}
