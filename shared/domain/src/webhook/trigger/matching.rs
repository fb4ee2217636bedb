//! Decides whether a delivery starts the workflow of a trigger, and makes the input.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::Trigger;
use crate::id::DeliveryId;
use crate::time::Timestamp;
use crate::webhook::redact::REDACTED;
use crate::webhook::verify::form_fields;
use crate::workflow::execution::ExecutionContext;
use crate::workflow::expression::{Allowance, EvaluationError, Scope, Template, check_bounds};

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
    /// Whether it looks at deliveries with this event type.
    pub fn wants(&self, event_type: Option<&str>) -> bool {
        self.events.is_empty() || self.events.iter().any(|pattern| pattern.matches(event_type))
    }

    /// The input with which the delivery starts the workflow; `None` if it does not.
    pub fn decide(&self, event: &DeliveryEvent) -> Result<Option<Value>, TriggerError> {
        if !self.wants(event.event_type()) {
            return Ok(None);
        }
        let scope = event.scope();
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
        let scope = event.scope();
        let key = |template: &Option<Template>| match template {
            None => Ok(String::new()),
            Some(template) => text_of(template.render(&scope).map_err(TriggerError::Key)?),
        };
        Ok(Keys { gather: key(&self.gather_key)?, throttle: key(&self.throttle_key)? })
    }

    /// The input of an execution for a batch, whose entries came in this order.
    pub fn batch_input(&self, entries: &[Value], allowance: Allowance) -> Result<Value, TriggerError> {
        let batch = json!({ "batch": entries });
        let context = ExecutionContext::absent(allowance);
        let input = match &self.input {
            Some(template) => template.render(&Scope::of_event_in(&batch, &context)),
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

// What expressions see of a delivery.

static NULL: Value = Value::Null;

/// What is known of a delivery when its triggers are decided. Headers and query are the stored ones, in which secrets
/// are redacted.
#[derive(Debug, Clone, Copy)]
pub struct EventSource<'a> {
    /// Its id.
    pub id: DeliveryId,
    /// The name of the endpoint; `None` of an event that was sent to this server.
    pub webhook: Option<&'a str>,
    /// When it came.
    pub received_at: Timestamp,
    /// What it is about.
    pub event_type: Option<&'a str>,
    /// What follows `?`.
    pub query: Option<&'a str>,
    /// Names and values, in order.
    pub headers: &'a [(String, String)],
    /// The body, decoded.
    pub body: &'a [u8],
}

/// A delivery as expressions see it: `body`, `headers`, `event`, `query` and `delivery`.
#[derive(Debug, Clone, PartialEq)]
pub struct DeliveryEvent {
    value: Value,
    /// How much the expressions of all triggers may do together.
    context: ExecutionContext,
}

impl DeliveryEvent {
    /// Reads the body and puts the parts together.
    pub fn new(source: &EventSource<'_>) -> Self {
        let value = json!({
            "body": body(source),
            "headers": headers(source.headers),
            "event": source.event_type,
            "query": fields(source.query.unwrap_or_default().as_bytes()),
            "delivery": {
                "id": source.id.to_string(),
                "receivedAt": source.received_at.to_string(),
                "webhook": source.webhook,
                "source": if source.webhook.is_some() { "webhook" } else { "event" },
            },
        });
        Self { value, context: ExecutionContext::absent(Allowance::default()) }
    }

    /// The same delivery, whose triggers have this allowance together. Without one each expression has its own bounds only.
    #[must_use]
    pub fn within(self, allowance: Allowance) -> Self {
        Self { context: ExecutionContext { allowance, ..self.context }, ..self }
    }

    fn scope(&self) -> Scope<'_> {
        Scope::of_event_in(&self.value, &self.context)
    }

    /// All parts, as expressions see them.
    pub const fn value(&self) -> &Value {
        &self.value
    }

    pub(super) fn event_type(&self) -> Option<&str> {
        self.value.get("event").and_then(Value::as_str)
    }

    /// What was sent, read.
    pub fn body(&self) -> &Value {
        self.value.get("body").unwrap_or(&NULL)
    }
}

/// JSON where it is JSON, whatever `Content-Type` says, since that may lie; a form where it says so; text where it is
/// text that can be stored; and any other bytes as `{"base64": "…"}`.
fn body(source: &EventSource<'_>) -> Value {
    if source.body.is_empty() {
        return Value::Null;
    }
    if let Ok(value) = serde_json::from_slice(source.body) {
        return value;
    }
    let is_form = source.headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("content-type")
            && value.trim_start().to_ascii_lowercase().starts_with("application/x-www-form-urlencoded")
    });
    if is_form {
        return fields(source.body);
    }
    match std::str::from_utf8(source.body) {
        Ok(text) if !text.contains('\0') => Value::from(text),
        _ => json!({ "base64": STANDARD.encode(source.body) }),
    }
}

/// The first value of each name in lower case; those that are redacted are left out.
fn headers(headers: &[(String, String)]) -> Value {
    let mut map = Map::new();
    for (name, value) in headers.iter().filter(|(_, value)| value != REDACTED) {
        map.entry(name.to_ascii_lowercase()).or_insert_with(|| Value::from(value.trim()));
    }
    Value::Object(map)
}

/// The fields of a form or a query: a text each, and a list of texts where a name stands more than once.
fn fields(form: &[u8]) -> Value {
    let mut map = Map::new();
    for (name, value) in form_fields(form) {
        let value = Value::from(String::from_utf8_lossy(&value));
        if value == REDACTED {
            continue;
        }
        match map.entry(String::from_utf8_lossy(&name)) {
            serde_json::map::Entry::Vacant(vacant) => {
                vacant.insert(value);
            }
            serde_json::map::Entry::Occupied(mut occupied) => match occupied.get_mut() {
                Value::Array(values) => values.push(value),
                first => *first = Value::from(vec![first.take(), value]),
            },
        }
    }
    Value::Object(map)
}
