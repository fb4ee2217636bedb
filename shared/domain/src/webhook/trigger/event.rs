//! What expressions see of a delivery.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::id::DeliveryId;
use crate::time::Timestamp;
use crate::webhook::redact::REDACTED;
use crate::webhook::verify::form_fields;

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
pub struct DeliveryEvent(Value);

impl DeliveryEvent {
    /// Reads the body and puts the parts together.
    pub fn new(source: &EventSource<'_>) -> Self {
        Self(json!({
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
        }))
    }

    /// All parts, as expressions see them.
    pub const fn value(&self) -> &Value {
        &self.0
    }

    pub(super) fn event_type(&self) -> Option<&str> {
        self.0.get("event").and_then(Value::as_str)
    }

    /// What was sent, read.
    pub fn body(&self) -> &Value {
        self.0.get("body").unwrap_or(&NULL)
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
