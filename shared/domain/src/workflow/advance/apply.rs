//! Takes one event, checks that it applies, and passes it to what it is about.

use crate::time::Timestamp;
use crate::workflow::advance::requeue::Resumed;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::Definition;
use crate::workflow::execution::{
    Decision, Event, ExecutionContext, ExecutionError, ExecutionState, ExecutionStatus, NodeStatus, Outputs,
    Refusal, TimelineEventKind,
};

/// Applies an event. On a refusal, `state` and `outputs` are unchanged.
///
/// An event that has nothing to do (a second `Started`, a deadline that is not reached) is applied without effects;
/// one that comes too late or does not fit is refused.
pub fn advance(
    definition: &Definition,
    context: &ExecutionContext,
    state: &mut ExecutionState,
    outputs: &mut Outputs,
    event: Event,
    now: Timestamp,
) -> Result<Decision, Refusal> {
    let mut transition = Transition::new(definition, context, state, outputs, now);
    match event {
        Event::Started => transition.started()?,
        Event::NodeSettled(settled) => transition.job_settled(settled)?,
        Event::NodeRequeued { node, job_id } => transition.requeued(&node, Resumed::Job(job_id))?,
        Event::ChildResumed { node, child_id } => transition.requeued(&node, Resumed::Child(child_id))?,
        Event::Cancel { reason, compensate } => transition.cancelled(reason, compensate)?,
        Event::Retry => transition.retried()?,
        Event::Signal { name, payload } => transition.signal(name, payload)?,
        Event::UserTaskCompleted { node, round, output, actor } => {
            transition.user_task_completed((&node, round), output, actor)?;
        }
        Event::Callback { node, round, payload } => transition.callback(node, round, payload)?,
        Event::EventCame { node, round, output } => transition.event_came(&node, round, output)?,
        Event::ChildSettled { node, child_id, result } => {
            transition.child_settled(&node, child_id, result)?;
        }
        Event::ChildRefused { node, child_id, error } => transition.child_refused(&node, child_id, error)?,
        Event::Due => transition.due()?,
        Event::Broken(error) => transition.broken(error)?,
    }
    transition.go_on();
    Ok(transition.into_decision())
}

impl Transition<'_> {
    fn started(&mut self) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        if self.state.status != ExecutionStatus::Pending {
            return Ok(());
        }
        self.state.status = ExecutionStatus::Running;
        self.state.started_at = Some(self.now);
        self.set_deadline();
        self.emit(TimelineEventKind::ExecutionStarted, None, None);
        self.set_attributes_at_start();
        self.find_ready();
        Ok(())
    }

    /// The main nodes that can start: the roots, and where some nodes were settled before, those behind them.
    pub(super) fn find_ready(&mut self) {
        for index in 0..self.definition.on_failure_from {
            let can_start = self
                .node_state(index)
                .is_some_and(|state| state.status == NodeStatus::Pending && state.waits_for == 0);
            if can_start {
                self.ready.insert(index);
            }
        }
    }

    fn broken(&mut self, error: ExecutionError) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        self.break_off(error);
        Ok(())
    }

    pub(super) fn refuse_if_ended(&self) -> Result<(), Refusal> {
        let status = self.state.status;
        if status.is_terminal() { Err(Refusal::Finished(status.as_str())) } else { Ok(()) }
    }
}
