//! Runs a definition on paper: the same `advance` as in use, with results that the caller gives in the place of
//! handlers, people and the world. Nothing is stored, no job is made, and no time passes: the clock jumps to what comes
//! next.
//!
//! What the caller gives and what the run still waits for are in this file; `context` is what expressions see of the
//! execution, `run` goes from event to event.

mod arrivals;
mod context;
mod run;

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use crate::error::Fault;
use crate::failure::JobError;
use crate::names::{EventType, NodeId};
use crate::time::DurationMs;
use crate::workflow::NodeKey;
use crate::workflow::definition::{Definition, NodeKind};
use crate::workflow::execution::{ExecutionState, NodeState, NodeStatus, Wait};

pub use run::{EVENTS_MAX, Simulated, SimulatedRound, TooMuch, simulate};

// What the caller of a simulation gives in the place of handlers, people and the world.

/// Results and signals of a simulated execution.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// By node, by item of a `MAP` (`notify[3]`) or by compensation (`charge:compensate`): how its rounds end, in order. What
    /// stands under a `MAP` is for its items, in the order in which they start, unless an item has results of its own.
    pub results: BTreeMap<String, VecDeque<MockResult>>,
    /// The signals that are sent.
    pub signals: Vec<MockSignal>,
    /// The events that come.
    pub events: Vec<MockEvent>,
}

/// How one round of a node ends: for good, after its retries.
#[derive(Debug, Clone, PartialEq)]
pub struct MockResult {
    /// How it ends.
    pub outcome: MockOutcome,
    /// How long it takes.
    pub after: DurationMs,
}

/// How a round ends.
#[derive(Debug, Clone, PartialEq)]
pub enum MockOutcome {
    /// What a handler or a child returns, a person submits, or a signal, callback or event carries.
    Output(Value),
    /// Why a handler or child fails.
    Error(JobError),
    /// Nothing comes, and the node's timeout ends it.
    TimesOut,
}

/// A signal.
#[derive(Debug, Clone, PartialEq)]
pub struct MockSignal {
    /// Its name.
    pub name: String,
    /// What it carries.
    pub payload: Value,
    /// How long after the start it is sent; where absent, as soon as a node waits for it.
    pub after: Option<DurationMs>,
}

/// An event. One ends the waits of all nodes that it meets.
#[derive(Debug, Clone, PartialEq)]
pub struct MockEvent {
    /// Its name.
    pub name: EventType,
    /// Its data.
    pub data: Value,
    /// How long after the start it comes; where absent, as soon as a node waits for it.
    pub after: Option<DurationMs>,
}

impl Script {
    /// What does not fit the definition: results of nodes that it does not have, or that cannot end so.
    pub fn faults(&self, definition: &Definition) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (key, results) in &self.results {
            let node = NodeKey::of(&NodeId::trusted(key.clone())).node().clone();
            let Some(node) = definition.node(&node) else {
                faults
                    .push(Fault::new(format!("/results/{key}"), format!("the workflow has no node {node}")));
                continue;
            };
            for (index, result) in results.iter().enumerate() {
                let can_fail = !matches!(
                    node.kind,
                    NodeKind::Signal { .. }
                        | NodeKind::UserTask(_)
                        | NodeKind::WaitWebhook
                        | NodeKind::WaitEvent(_)
                );
                if matches!(result.outcome, MockOutcome::Error(_)) && !can_fail {
                    let message =
                        format!("a {} cannot fail: it gets an output or times out", node.kind.type_name());
                    faults.push(Fault::new(format!("/results/{key}/{index}/error"), message));
                }
            }
        }
        faults
    }

    /// Takes the next result of a node, an item or a compensation.
    fn take(&mut self, key: &NodeId) -> Option<MockResult> {
        if let Some(own) = self.results.get_mut(key.as_str()) {
            return own.pop_front();
        }
        match NodeKey::of(key) {
            NodeKey::Item { node, .. } => self.results.get_mut(node.as_str())?.pop_front(),
            NodeKey::Node(_) | NodeKey::Compensation(_) => None,
        }
    }

    /// Takes the first signal of a name that is sent as soon as a node waits for it.
    fn take_signal(&mut self, name: &str) -> Option<MockSignal> {
        let is_it = |signal: &MockSignal| signal.name == name && signal.after.is_none();
        let index = self.signals.iter().position(is_it)?;
        Some(self.signals.remove(index))
    }

    /// Takes the signals that are sent at an instant of their own.
    fn take_timed_signals(&mut self) -> Vec<MockSignal> {
        let (timed, others) =
            std::mem::take(&mut self.signals).into_iter().partition(|signal| signal.after.is_some());
        self.signals = others;
        timed
    }

    /// Takes the events: those that come at an instant of their own, and the others.
    fn take_events(&mut self) -> (Vec<MockEvent>, Vec<MockEvent>) {
        std::mem::take(&mut self.events).into_iter().partition(|event| event.after.is_some())
    }
}

// What a simulated execution still waits for.

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

impl Awaited {
    /// Its public name, and the name of the signal.
    pub fn into_names(self) -> (&'static str, Option<String>) {
        match self {
            Self::Result => ("result", None),
            Self::Child => ("child", None),
            Self::Signal(name) => ("signal", Some(name)),
            Self::UserTask => ("user_task", None),
            Self::Callback => ("callback", None),
            Self::Event(_) => ("event", None),
        }
    }
}

/// All that the execution waits for besides the clock.
fn open_in(state: &ExecutionState) -> impl Iterator<Item = WaitingFor> {
    state
        .nodes
        .iter()
        .filter_map(|(key, node)| awaited_by(node).map(|awaited| WaitingFor { key: key.clone(), awaited }))
}

/// What ends a node, where the clock does not.
fn awaited_by(node: &NodeState) -> Option<Awaited> {
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

#[cfg(test)]
mod tests;
