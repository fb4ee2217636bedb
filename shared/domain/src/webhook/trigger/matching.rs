//! Decides whether a delivery starts the workflow of a trigger, and makes the input.

use serde_json::{Value, json};

use crate::workflow::expression::{EvaluationError, Scope, check_bounds};

use super::compile::Trigger;
use super::event::DeliveryEvent;

/// Why a trigger could not be decided. Names expressions and fields, never values.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TriggerError {
    /// The condition.
    #[error("the filter failed: {0}")]
    Filter(#[source] EvaluationError),
    /// The input.
    #[error("cannot evaluate the input: {0}")]
    Input(#[source] EvaluationError),
}

impl TriggerError {
    /// The stable name, for the delivery log.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Filter(_) => "filter_failed",
            Self::Input(_) => "input_failed",
        }
    }
}

impl Trigger {
    /// The input with which the delivery starts the workflow; `None` if it does not.
    pub fn decide(&self, event: &DeliveryEvent) -> Result<Option<Value>, TriggerError> {
        let wanted = |pattern: &super::EventPattern| pattern.matches(event.event_type());
        if !self.events.is_empty() && !self.events.iter().any(wanted) {
            return Ok(None);
        }
        let scope = Scope::of_event(event.value());
        if let Some(filter) = &self.filter
            && !filter.test(&scope).map_err(TriggerError::Filter)?
        {
            return Ok(None);
        }
        let input = match &self.input {
            Some(template) => template.render(&scope),
            None => default_input(event.body()),
        };
        input.map(Some).map_err(TriggerError::Input)
    }
}

/// The body where it is an object, and an object around it otherwise.
fn default_input(body: &Value) -> Result<Value, EvaluationError> {
    let input = if body.is_object() { body.clone() } else { json!({ "body": body }) };
    check_bounds(&input)?;
    Ok(input)
}
