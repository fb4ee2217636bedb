//! User tasks: opened, handed on, done.

use serde_json::Value;

use crate::failure::JobError;
use crate::names::NodeId;
use crate::workflow::advance::transition::Transition;
use crate::workflow::advance::work::{CODE_EXPRESSION, to_job_error};
use crate::workflow::definition::{NodeKind, UserTaskSpec};
use crate::workflow::execution::{
    Effect, NodeState, Refusal, TimelineEventKind, UserTask, UserTaskEnd, Wait,
};
use crate::workflow::expression::{Scope, Template};

/// The longest name of a person or a group: tasks are found by it, and an index takes no longer text.
const WHO_BYTES_MAX: usize = 1_024;

impl Transition<'_> {
    pub(super) fn begin_user_task(&mut self, index: usize, spec: &UserTaskSpec) {
        self.record_attempt(index);
        let node = self.node(index);
        let round = self.node_state(index).map_or(0, |state| state.round);
        let (assignee, group, input) = match people_of(spec, &self.scope_of(index)) {
            Ok(found) => found,
            Err(error) => {
                self.fail_node(index, error);
                return;
            }
        };
        let opened_at = self.now;
        let whom = match (&assignee, &group) {
            (Some(assignee), _) => format!("for {assignee}"),
            (None, Some(group)) => format!("for the group {group}"),
            (None, None) => String::new(),
        };
        self.effects.push(Effect::OpenUserTask(UserTask {
            node: node.id.clone(),
            round,
            assignee,
            group,
            form: spec.form.as_ref().map(|(schema, _)| schema.clone()),
            input,
            due_at: spec.due_in.map(|due_in| opened_at.plus(due_in)),
            opened_at,
        }));
        let escalate_at = spec.escalation.as_ref().map(|escalation| opened_at.plus(escalation.after));
        self.wait(index, Wait::UserTask { escalate_at }, self.timeout_of(index), whom);
    }

    /// A person did it; what was submitted is the output.
    pub(super) fn user_task_completed(
        &mut self,
        (node, round): (&NodeId, Option<u32>),
        output: Value,
        actor: String,
    ) -> Result<(), Refusal> {
        self.refuse_if_ended()?;
        let index = self.definition.graph.index.get(node).copied();
        let is_meant = |state: &NodeState| is_open(state) && round.is_none_or(|round| round == state.round);
        let open = index.filter(|&index| self.node_state(index).is_some_and(is_meant));
        let Some(index) = open else {
            return Err(Refusal::NotOpen(node.clone()));
        };
        self.close_user_task(index, UserTaskEnd::Completed { actor });
        self.end_wait(index);
        self.succeed(index, output);
        Ok(())
    }

    /// Nobody did it in time to keep it where it is. Where the new person cannot be made out, the old one keeps it.
    pub(super) fn escalate(&mut self, index: usize) {
        let node = self.node(index);
        let NodeKind::UserTask(spec) = &node.kind else { return };
        let Some(escalation) = &spec.escalation else { return };
        let scope = self.scope_of(index);
        let people = text_of(escalation.assignee.as_ref(), &scope)
            .and_then(|assignee| Ok((assignee, text_of(escalation.group.as_ref(), &scope)?)));
        let Some(state) = self.node_state_mut(index) else { return };
        state.wait = Some(Wait::UserTask { escalate_at: None });
        let round = state.round;
        let (assignee, group, detail) = match people {
            Ok((assignee, group)) => {
                let detail =
                    assignee.clone().or_else(|| group.as_ref().map(|group| format!("the group {group}")));
                (assignee, group, detail.map(|whom| format!("to {whom}")))
            }
            Err(error) => (None, None, Some(error.message)),
        };
        self.effects.push(Effect::EscalateUserTask { node: node.id.clone(), round, assignee, group });
        self.emit(TimelineEventKind::UserTaskEscalated, Some(&node.id), detail);
    }

    pub(super) fn close_user_task(&mut self, index: usize, end: UserTaskEnd) {
        let node = self.node(index).id.clone();
        let round = self.node_state(index).map_or(0, |state| state.round);
        self.effects.push(Effect::CloseUserTask { node, round, end });
    }
}

fn is_open(state: &NodeState) -> bool {
    matches!(state.wait, Some(Wait::UserTask { .. }))
}

type People = (Option<String>, Option<String>, Option<Value>);

/// Whom it is for and what they are shown.
fn people_of(spec: &UserTaskSpec, scope: &Scope<'_>) -> Result<People, JobError> {
    let read = |template: &Option<Template>| text_of(template.as_ref(), scope);
    let (assignee, group) = (read(&spec.assignee)?, read(&spec.group)?);
    if assignee.is_none() && group.is_none() {
        let message = "neither `assignee` nor `group` evaluates to a name";
        return Err(JobError::coded(CODE_EXPRESSION, message));
    }
    let input = spec.input.as_ref().map(|input| input.render(scope).map_err(|error| to_job_error(&error)));
    Ok((assignee, group, input.transpose()?))
}

/// The text that a template gives; `None` for null and for the empty text.
fn text_of(template: Option<&Template>, scope: &Scope<'_>) -> Result<Option<String>, JobError> {
    let Some(template) = template else { return Ok(None) };
    let text = match template.render(scope).map_err(|error| to_job_error(&error))? {
        Value::Null => return Ok(None),
        Value::String(text) if text.is_empty() => return Ok(None),
        Value::String(text) => text,
        other => other.to_string(),
    };
    if text.len() > WHO_BYTES_MAX {
        let message = format!("`assignee` and `group` take at most {WHO_BYTES_MAX} bytes");
        return Err(JobError::coded(CODE_EXPRESSION, message));
    }
    Ok(Some(text))
}
