//! Takes one event, checks that it applies, and hands it to what it is about.

use std::collections::BTreeMap;

use crate::id::{ExecutionId, JobId};
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::workflow::advance::transition::Transition;
use crate::workflow::definition::Definition;
use crate::workflow::execution::{
    Decision, Event, ExecutionContext, ExecutionError, ExecutionState, ExecutionStatus, NodeSettled,
    NodeState, NodeStatus, Outputs, Refusal,
};

/// The id of the job that runs a node in a round. Deriving it makes enqueueing twice insert one job.
pub fn node_job_id(execution: ExecutionId, node: &NodeId, round: u32) -> JobId {
    JobId::derive(execution.uuid(), &["node", node.as_str(), &round.to_string()])
}

impl ExecutionState {
    /// The state of an execution that was accepted: PENDING, and so is every node.
    pub fn new(definition: &Definition) -> Self {
        let nodes: BTreeMap<NodeId, NodeState> = definition
            .nodes
            .iter()
            .zip(&definition.graph.dependencies)
            .map(|(node, dependencies)| (node.id.clone(), NodeState::pending(dependencies.len() as u32)))
            .collect();
        Self {
            status: ExecutionStatus::Pending,
            nodes_open: nodes.len() as u32,
            nodes,
            steps: 0,
            started_at: None,
            deadline_at: None,
            error: None,
        }
    }
}

impl NodeState {
    /// A node that was not started.
    pub fn pending(waits_for: u32) -> Self {
        Self {
            status: NodeStatus::Pending,
            round: 0,
            waits_for,
            job_id: None,
            attempts: 0,
            started_at: None,
            finished_at: None,
            error: None,
        }
    }
}

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
        Event::NodeSettled(settled) => transition.node_settled(settled)?,
        Event::NodeRequeued { node, job_id } => transition.node_requeued(&node, job_id)?,
        Event::Cancel { reason } => transition.cancelled(reason)?,
        Event::Retry => transition.retried()?,
        Event::DeadlinePassed => transition.deadline_passed()?,
        Event::Broken(error) => transition.broken(error)?,
    }
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
        self.emit("execution_started", None, None);
        self.ready.extend(&self.definition.graph.roots);
        self.run_ready();
        Ok(())
    }

    fn node_settled(&mut self, settled: NodeSettled) -> Result<(), Refusal> {
        let index = self.definition.graph.index.get(&settled.node).copied();
        let state = self.state.nodes.get_mut(&settled.node);
        let (Some(index), Some(state)) = (index, state) else {
            return Err(Refusal::NotAwaited(settled.node));
        };
        if state.status != NodeStatus::Running || state.job_id != Some(settled.job_id) {
            return Err(Refusal::NotAwaited(settled.node));
        }
        state.attempts = settled.attempts;
        state.started_at = settled.started_at.or(state.started_at);
        match settled.result {
            Ok(output) => self.complete(index, output, None),
            Err(error) => self.fail_node(index, error.bounded()),
        }
        self.run_ready();
        Ok(())
    }

    fn cancelled(&mut self, reason: Option<String>) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        self.cancel_running();
        self.end(ExecutionStatus::Cancelled);
        self.emit("execution_cancelled", None, reason);
        Ok(())
    }

    fn deadline_passed(&mut self) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        if self.state.deadline_at.is_none_or(|deadline| self.now < deadline) {
            return Ok(());
        }
        let limit = self.definition.timeout.map(|timeout| format!(" of {timeout}")).unwrap_or_default();
        self.fail_execution(ExecutionError {
            node: None,
            message: format!("the execution did not end within its timeout{limit}"),
            code: Some("timeout".to_owned()),
        });
        Ok(())
    }

    fn broken(&mut self, error: ExecutionError) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        self.fail_execution(error);
        Ok(())
    }

    fn refuse_if_ended(&self) -> Result<(), Refusal> {
        let status = self.state.status;
        if status.is_terminal() { Err(Refusal::Finished(status.as_str())) } else { Ok(()) }
    }
}
