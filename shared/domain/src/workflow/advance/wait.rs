//! Nodes that wait: timers, signals and callbacks; and what they wait for in the state.

use serde_json::Value;

use super::transition::{event_waits, is_open};
use crate::event::{MatchPath, paths_text, values_digest};
use crate::failure::JobError;
use crate::names::{EventType, NodeId};
use crate::time::{DurationMs, Timestamp};
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::{CODE_EXPRESSION, to_job_error};
use crate::workflow::definition::{EventSpec, NodeKind, TimerEnd};
use crate::workflow::execution::{Effect, EventWait, Kept, NodeStatus, Refusal, TimelineEventKind, Wait};
use crate::workflow::expression::{Template, bytes_of};
use crate::workflow::parse::DELAY_MAX;

impl Transition<'_> {
    /// A timer whose time has passed already is done at once.
    pub(super) fn begin_timer(&mut self, index: usize, end: &TimerEnd) {
        self.record_attempt(index);
        match self.end_of(index, end) {
            Ok(at) if at <= self.now => self.succeed(index, Value::Null),
            Ok(at) => self.wait(index, Wait::Timer, Some(at), format!("until {at}")),
            Err(error) => self.fail_node(index, error),
        }
    }

    fn end_of(&self, index: usize, end: &TimerEnd) -> Result<Timestamp, JobError> {
        let text_of = |template: &Template| {
            template.render(&self.scope_of(index)).map_err(|error| to_job_error(&error))
        };
        match end {
            TimerEnd::Duration(duration) => Ok(self.now.plus(*duration)),
            TimerEnd::DurationOf(template) => {
                let duration = text_of(template)?
                    .as_str()
                    .map_or(Err(None), |text| DurationMs::parse(text).map_err(Some));
                match duration {
                    Ok(duration) if duration > DELAY_MAX => {
                        let message = format!("the timer's `duration`: at most a year ({DELAY_MAX})");
                        Err(JobError::coded(CODE_EXPRESSION, message))
                    }
                    Ok(duration) => Ok(self.now.plus(duration)),
                    Err(fault) => {
                        let why =
                            fault.map_or_else(|| "it is not a text".to_owned(), |fault| fault.to_string());
                        Err(JobError::coded(CODE_EXPRESSION, format!("the timer's `duration`: {why}")))
                    }
                }
            }
            TimerEnd::Until(template) => {
                text_of(template)?.as_str().and_then(Timestamp::parse).ok_or_else(|| {
                    let message = "the timer's `until` is not an instant such as 2026-11-20T12:00:00.000Z";
                    JobError::coded(CODE_EXPRESSION, message)
                })
            }
        }
    }

    /// A signal that was kept is taken at once.
    pub(super) fn begin_signal(&mut self, index: usize, signal: &str) {
        self.record_attempt(index);
        if let Some(payload) = self.take_kept_signal(signal) {
            self.succeed(index, payload);
        } else {
            let detail = format!("for the signal `{signal}`");
            self.wait(index, Wait::Signal { name: signal.to_owned() }, self.timeout_of(index), detail);
        }
    }

    /// A request that was kept is taken at once.
    pub(super) fn begin_callback(&mut self, index: usize) {
        self.record_attempt(index);
        if let Some(payload) = self.take_kept_callback(&self.node(index).id) {
            self.succeed(index, payload);
        } else {
            let detail = "for a request to its callback address".to_owned();
            self.wait(index, Wait::Callback, self.timeout_of(index), detail);
        }
    }

    /// When a node that starts to wait now has waited too long.
    pub(super) fn timeout_of(&self, index: usize) -> Option<Timestamp> {
        self.node(index).timeout.map(|timeout| self.now.plus(timeout))
    }

    /// The node waits from now on.
    pub(super) fn wait(&mut self, index: usize, wait: Wait, due_at: Option<Timestamp>, detail: String) {
        if let Some(state) = self.node_state_mut(index) {
            state.status = NodeStatus::Waiting;
            state.wait = Some(wait);
            state.due_at = due_at;
        }
        self.emit(TimelineEventKind::NodeWaiting, Some(&self.node(index).id), Some(detail));
    }

    /// What the node waited for is there.
    pub(super) fn end_wait(&mut self, index: usize) {
        if let Some(state) = self.node_state_mut(index) {
            state.wait = None;
            state.due_at = None;
        }
    }
}

// Nodes that wait for events: what they wait for is kept outside of the execution, where events find it by an index.

impl Transition<'_> {
    /// The values to compare are those of now.
    pub(super) fn begin_event_wait(&mut self, index: usize, spec: &EventSpec) {
        self.record_attempt(index);
        let values = match self.compared_with(index, spec) {
            Ok(values) => values,
            Err(error) => return self.fail_node(index, error),
        };
        let names: Vec<&str> = spec.events.iter().map(EventType::as_str).collect();
        let detail = format!("for the event {}", names.join(" or "));
        let wait = EventWait {
            node: self.node(index).id.clone(),
            round: self.node_state(index).map_or(0, |state| state.round),
            events: spec.events.clone(),
            paths: paths_text(spec.matches.iter().map(|(path, _)| path)),
            digest: values_digest(values.iter()),
            has_filter: spec.filter.is_some(),
            began_at: self.now,
            look_from: self.now.minus(spec.lookback),
        };
        self.effects.push(Effect::OpenEventWait(wait));
        self.wait(index, Wait::Event { events: spec.events.clone() }, self.timeout_of(index), detail);
    }

    /// In the order of the paths. Nothing is equal to nothing: a value that is not there would be met by every event
    /// without it.
    fn compared_with(&self, index: usize, spec: &EventSpec) -> Result<Vec<Value>, JobError> {
        let scope = self.scope_of(index);
        let value_of = |(path, template): &(MatchPath, Template)| match template
            .render(&scope)
            .map_err(|error| to_job_error(&error))?
        {
            Value::Null => {
                let message = format!("`match`: what `{}` is compared with is null", path.as_str());
                Err(JobError::coded(CODE_EXPRESSION, message))
            }
            value => Ok(value),
        };
        spec.matches.iter().map(value_of).collect()
    }

    /// One that comes for an earlier round, or after the wait, is refused.
    pub(super) fn event_came(&mut self, node: &NodeId, round: u32, output: Value) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        let index = self.definition.graph.index.get(node).copied();
        let waits = |&index: &usize| {
            self.node_state(index).is_some_and(|state| is_open(state) && state.round == round)
        };
        let Some(index) = index.filter(waits) else {
            return Err(Refusal::NotAwaited(node.clone()));
        };
        self.end_wait(index);
        self.succeed(index, output);
        Ok(())
    }

    /// What waited before this event, or since, and does so no more is not to be found by events any more.
    pub(super) fn close_event_waits(&mut self, before: &[(usize, u32)]) {
        if self.definition.event_waits.is_empty() {
            return;
        }
        let open = event_waits(self.definition, self.state);
        for &(index, round) in before.iter().filter(|wait| !open.contains(wait)) {
            let node = self.node(index).id.clone();
            self.effects.push(Effect::CloseEventWait { node, round });
        }
        let is_there = |wait: &EventWait| {
            open.iter()
                .any(|&(index, round)| self.definition.nodes[index].id == wait.node && round == wait.round)
        };
        self.effects.retain(|effect| match effect {
            Effect::OpenEventWait(wait) => is_there(wait),
            _ => true,
        });
    }
}

// Signals, and requests to callback addresses: given to the node that waits for them, or kept for one that will.

/// How many signals and requests an execution keeps for nodes that do not wait yet.
pub const KEPT_MAX: usize = 1_000;

/// How many bytes of JSON they may take together: they are part of the state, and whoever sends them must not be able
/// to make it outgrow its bound, which fails the execution.
const KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;

impl Transition<'_> {
    /// Goes to one node: the first in the order of the definition that waits for this name.
    pub(super) fn signal(&mut self, name: String, payload: Value) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        let waiting = (0..self.definition.nodes.len()).find(|&index| self.waits_for_signal(index, &name));
        let Some(index) = waiting else {
            self.refuse_if_too_many_kept(&payload)?;
            self.emit(TimelineEventKind::SignalReceived, None, Some(name.clone()));
            self.state.kept.push(Kept::Signal { name, payload });
            return Ok(());
        };
        self.emit(TimelineEventKind::SignalReceived, Some(&self.node(index).id), Some(name));
        self.end_wait(index);
        self.succeed(index, payload);
        Ok(())
    }

    fn waits_for_signal(&self, index: usize, name: &str) -> bool {
        match &self.node(index).kind {
            NodeKind::Signal { signal } if signal.as_str() == name => self
                .node_state(index)
                .is_some_and(|state| matches!(&state.wait, Some(Wait::Signal { name: own }) if own == name)),
            _ => false,
        }
    }

    /// The first request counts. One for a node that is settled, for which one is kept already, or that came while an
    /// earlier round waited, is refused.
    pub(super) fn callback(
        &mut self,
        node: NodeId,
        round: Option<u32>,
        payload: Value,
    ) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        let index = self.definition.graph.index.get(&node).copied();
        let index = index.filter(|&index| matches!(self.node(index).kind, NodeKind::WaitWebhook));
        let Some(index) = index else {
            return Err(Refusal::NotAwaited(node));
        };
        let waiting = self.node_state(index).filter(|state| state.wait == Some(Wait::Callback));
        let waiting = waiting.map(|state| state.round);
        if round.is_some() && round != waiting {
            return Err(Refusal::NotAwaited(node));
        }
        if waiting.is_some() {
            self.end_wait(index);
            self.succeed(index, payload);
            return Ok(());
        }
        let is_kept =
            self.state.kept.iter().any(|kept| matches!(kept, Kept::Callback { node: of, .. } if *of == node));
        if is_kept || self.status_of(index).is_none_or(NodeStatus::is_settled) {
            return Err(Refusal::NotAwaited(node));
        }
        self.refuse_if_too_many_kept(&payload)?;
        self.state.kept.push(Kept::Callback { node, payload });
        Ok(())
    }

    fn refuse_if_too_many_kept(&self, payload: &Value) -> Result<(), Refusal> {
        let kept = &self.state.kept;
        let payload_of = |kept: &Kept| match kept {
            Kept::Signal { payload, .. } | Kept::Callback { payload, .. } => bytes_of(payload),
        };
        let is_full = kept.len() >= KEPT_MAX
            || kept.iter().map(payload_of).sum::<usize>() + bytes_of(payload) > KEPT_BYTES_MAX;
        if is_full { Err(Refusal::TooManyKept(kept.len())) } else { Ok(()) }
    }

    /// The oldest signal of this name that was kept.
    pub(super) fn take_kept_signal(&mut self, signal: &str) -> Option<Value> {
        self.take_kept(|kept| matches!(kept, Kept::Signal { name, .. } if name == signal))
    }

    /// The request that was kept for a node.
    pub(super) fn take_kept_callback(&mut self, id: &NodeId) -> Option<Value> {
        self.take_kept(|kept| matches!(kept, Kept::Callback { node, .. } if node == id))
    }

    fn take_kept(&mut self, is_wanted: impl Fn(&Kept) -> bool) -> Option<Value> {
        let position = self.state.kept.iter().position(is_wanted)?;
        let (Kept::Signal { payload, .. } | Kept::Callback { payload, .. }) =
            self.state.kept.remove(position);
        Some(payload)
    }
}
