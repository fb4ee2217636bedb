//! Nodes that wait for events: what they wait for is kept outside of the execution, where events find it by an index.

use serde_json::Value;

use crate::event::{MatchPath, paths_text, values_digest};
use crate::failure::JobError;
use crate::names::{EventType, NodeId};
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::{CODE_EXPRESSION, to_job_error};
use crate::workflow::definition::{Definition, EventSpec};
use crate::workflow::execution::{Effect, EventWait, ExecutionState, NodeState, Refusal, Wait};
use crate::workflow::expression::Template;

/// The nodes that wait for events, with their rounds.
pub(super) fn event_waits(definition: &Definition, state: &ExecutionState) -> Vec<(usize, u32)> {
    let waiting = |&index: &usize| {
        let node = state.nodes.get(&definition.nodes[index].id)?;
        is_open(node).then_some((index, node.round))
    };
    definition.event_waits.iter().filter_map(waiting).collect()
}

fn is_open(state: &NodeState) -> bool {
    matches!(state.wait, Some(Wait::Event { .. }))
}

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
