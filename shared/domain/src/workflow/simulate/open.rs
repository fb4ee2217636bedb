//! What a simulated execution still waits for.

use crate::names::{EventType, NodeId};
use crate::workflow::execution::{ExecutionState, NodeState, NodeStatus, Wait};

/// Something that nobody gave a result for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingFor {
    /// The node, the item of a `MAP`, or the compensation.
    pub key: NodeId,
    /// What would end it.
    pub awaited: Awaited,
}

/// What ends a node that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Awaited {
    /// The result of its job.
    Result,
    /// The end of its child.
    Child,
    /// A signal of this name.
    Signal(String),
    /// A person.
    UserTask,
    /// A request to its callback address.
    Callback,
    /// An event of one of these types.
    Event(Vec<EventType>),
}

/// All that the execution waits for besides the clock.
pub(super) fn open_in(state: &ExecutionState) -> impl Iterator<Item = WaitingFor> {
    state
        .nodes
        .iter()
        .filter_map(|(key, node)| awaited_by(node).map(|awaited| WaitingFor { key: key.clone(), awaited }))
}

/// What ends a node, where the clock does not.
pub(super) fn awaited_by(node: &NodeState) -> Option<Awaited> {
    match (node.status, &node.wait) {
        (NodeStatus::Running, _) if node.job_id.is_some() => Some(Awaited::Result),
        (NodeStatus::Waiting, Some(Wait::Child { .. })) => Some(Awaited::Child),
        (NodeStatus::Waiting, Some(Wait::Signal { name })) => Some(Awaited::Signal(name.clone())),
        (NodeStatus::Waiting, Some(Wait::UserTask { .. })) => Some(Awaited::UserTask),
        (NodeStatus::Waiting, Some(Wait::Callback)) => Some(Awaited::Callback),
        (NodeStatus::Waiting, Some(Wait::Event { events })) => Some(Awaited::Event(events.clone())),
        _ => None,
    }
}
