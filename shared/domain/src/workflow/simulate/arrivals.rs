//! Events that a simulation is given, and the waits that they end.

use uuid::Uuid;

use super::MockEvent;
use crate::event::{body_digest, waited_output};
use crate::id::DeliveryId;
use crate::names::NodeId;
use crate::time::Timestamp;
use crate::webhook::{DeliveryEvent, EventSource};
use crate::workflow::definition::{Definition, NodeKind};
use crate::workflow::execution::{Event, EventWait, ExecutionContext, ExecutionState, Outputs};
use crate::workflow::expression::{Local, Scope};

/// What an event is compared with.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) definition: &'a Definition,
    pub(super) context: &'a ExecutionContext,
    pub(super) state: &'a ExecutionState,
    pub(super) outputs: &'a Outputs,
}

/// Open waits, events that came, and events that come as soon as a node waits for them.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    open: Vec<EventWait>,
    came: Vec<Arrived>,
    ready: Vec<MockEvent>,
}

/// An event that came.
#[derive(Debug)]
struct Arrived {
    event: MockEvent,
    id: DeliveryId,
    at: Timestamp,
}

impl Arrivals {
    /// With these events, which come as soon as a node waits for them.
    pub(super) fn new(ready: Vec<MockEvent>) -> Self {
        Self { ready, ..Self::default() }
    }

    /// A node began to wait.
    pub(super) fn open(&mut self, wait: EventWait) {
        self.open.push(wait);
    }

    /// A node does not wait any more.
    pub(super) fn close(&mut self, node: &NodeId, round: u32) {
        self.open.retain(|wait| wait.node != *node || wait.round != round);
    }

    /// Whether an event would end the wait of a node.
    pub(super) fn would_end(&self, event: &MockEvent, node: &NodeId, seen: Seen<'_>) -> bool {
        self.open.iter().any(|wait| wait.node == *node && meets(wait, &self.arrived(event, seen), seen))
    }

    /// An event comes: the ends of all waits that it meets.
    pub(super) fn arrive(&mut self, event: &MockEvent, seen: Seen<'_>, now: Timestamp) -> Vec<Event> {
        let arrived = Arrived { at: now, ..self.arrived(event, seen) };
        let met = self.open.iter().filter(|wait| meets(wait, &arrived, seen));
        let ends = met.filter_map(|wait| end_of(wait, &arrived)).collect();
        self.came.push(arrived);
        ends
    }

    /// What ends the wait of a node that has just begun: the newest event that came before it, as far as the node looks back,
    /// or the first that comes as soon as a node waits for it, which ends others that wait for it, too.
    pub(super) fn begin(&mut self, node: &NodeId, seen: Seen<'_>, now: Timestamp) -> Vec<Event> {
        let Some(wait) = self.open.iter().find(|wait| wait.node == *node) else {
            return Vec::new();
        };
        let before = |arrived: &&Arrived| wait.look_from < wait.began_at && arrived.at >= wait.look_from;
        let newest = self.came.iter().rev().filter(before).find(|arrived| meets(wait, arrived, seen));
        if let Some(arrived) = newest {
            return end_of(wait, arrived).into_iter().collect();
        }
        let is_met = |event: &MockEvent| meets(wait, &self.arrived(event, seen), seen);
        let Some(place) = self.ready.iter().position(is_met) else {
            return Vec::new();
        };
        let event = self.ready.remove(place);
        self.arrive(&event, seen, now)
    }

    /// The event as the next one that comes.
    fn arrived(&self, event: &MockEvent, seen: Seen<'_>) -> Arrived {
        let number = seen.context.id.uuid().as_u128().wrapping_add(self.came.len() as u128 + 1);
        let id = DeliveryId::from_uuid(Uuid::from_u128(number));
        Arrived { event: event.clone(), id, at: Timestamp::default() }
    }
}

/// Whether an event ends a wait.
fn meets(wait: &EventWait, arrived: &Arrived, seen: Seen<'_>) -> bool {
    let MockEvent { name, data, .. } = &arrived.event;
    if !wait.events.contains(name) || body_digest(&wait.paths, data) != Some(wait.digest) {
        return false;
    }
    let Some(NodeKind::WaitEvent(spec)) = seen.definition.node(&wait.node).map(|node| &node.kind) else {
        return false;
    };
    let Some(filter) = &spec.filter else { return true };
    let body = data.to_string();
    let event = DeliveryEvent::new(&EventSource {
        id: arrived.id,
        webhook: None,
        received_at: arrived.at,
        event_type: Some(name.as_str()),
        query: None,
        headers: &[],
        body: body.as_bytes(),
    });
    let local = Local { event: Some(event.value()), ..Local::default() };
    let scope = Scope { context: seen.context, state: seen.state, outputs: seen.outputs, local };
    filter.test(&scope).unwrap_or(false)
}

/// `None` where the event is too large or too deep for the output of a node.
fn end_of(wait: &EventWait, arrived: &Arrived) -> Option<Event> {
    let output = waited_output(arrived.event.name.as_str(), &arrived.event.data, arrived.id, arrived.at)?;
    Some(Event::EventCame { node: wait.node.clone(), round: wait.round, output })
}
