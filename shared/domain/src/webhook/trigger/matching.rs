//! Decides whether a delivery starts the workflow of a trigger, and makes the input.

use serde_json::{Value, json};

use crate::workflow::expression::{EvaluationError, Scope, Template, check_bounds};

use super::compile::Trigger;
use super::event::DeliveryEvent;

/// The longest key, in bytes.
const KEY_BYTES_MAX: usize = 500;

/// Why a trigger could not be decided. Names expressions and fields, never values.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TriggerError {
    /// The condition.
    #[error("the filter failed: {0}")]
    Filter(#[source] EvaluationError),
    /// The input.
    #[error("cannot evaluate the input: {0}")]
    Input(#[source] EvaluationError),
    /// A key of what belongs together.
    #[error("cannot evaluate the key: {0}")]
    Key(#[source] EvaluationError),
    /// A key that is too long.
    #[error("the key is longer than {KEY_BYTES_MAX} bytes")]
    LongKey,
}

impl TriggerError {
    /// The stable name, for the delivery log.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Filter(_) => "filter_failed",
            Self::Input(_) => "input_failed",
            Self::Key(_) | Self::LongKey => "key_failed",
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
        // The input of a batch is made when all its events are there.
        if self.config.batch.is_some() {
            return Ok(Some(entry(event)));
        }
        let input = match &self.input {
            Some(template) => template.render(&scope),
            None => default_input(event.body()),
        };
        input.map(Some).map_err(TriggerError::Input)
    }

    /// Which other events the event belongs to.
    pub fn keys(&self, event: &DeliveryEvent) -> Result<Keys, TriggerError> {
        let scope = Scope::of_event(event.value());
        let key = |template: &Option<Template>| match template {
            None => Ok(String::new()),
            Some(template) => text_of(template.render(&scope).map_err(TriggerError::Key)?),
        };
        Ok(Keys { gather: key(&self.gather_key)?, throttle: key(&self.throttle_key)? })
    }

    /// The input of an execution for a batch, whose entries came in this order.
    pub fn batch_input(&self, entries: &[Value]) -> Result<Value, TriggerError> {
        let batch = json!({ "batch": entries });
        let input = match &self.input {
            Some(template) => template.render(&Scope::of_event(&batch)),
            None => check_bounds(&batch).map(|()| batch),
        };
        input.map_err(TriggerError::Input)
    }
}

/// Which other events an event belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keys {
    /// With which it is gathered.
    pub gather: String,
    /// With which its start counts.
    pub throttle: String,
}

/// An event as an entry of a batch.
fn entry(event: &DeliveryEvent) -> Value {
    let of = |root: &str| event.value().get(root).cloned().unwrap_or(Value::Null);
    json!({ "event": of("event"), "body": of("body"), "delivery": of("delivery") })
}

/// A key as text: a string as it is, anything else as JSON.
fn text_of(value: Value) -> Result<String, TriggerError> {
    let text = match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    if text.len() > KEY_BYTES_MAX { Err(TriggerError::LongKey) } else { Ok(text) }
}

/// The body where it is an object, and an object around it otherwise.
fn default_input(body: &Value) -> Result<Value, EvaluationError> {
    let input = if body.is_object() { body.clone() } else { json!({ "body": body }) };
    check_bounds(&input)?;
    Ok(input)
}
