//! Events: how a repetition is known, and which parts of a body nodes that wait for events compare.
//!
//! What a node waits for is stored as the paths that it compares and a digest of the values that have to stand there. Who
//! receives an event reads the same paths in its body and looks for the same digest, so that one look in an index finds
//! all that wait for it, however many others do. `filter` bounds what their filters may take, `look` orders the events that
//! came before a wait was stored.

mod filter;
mod look;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::id::DeliveryId;
use crate::names::{EventName, TenantName};
use crate::time::{DurationMs, Timestamp};
use crate::workflow::expression::check_bounds;

pub use filter::{FilterAllowance, FilterCheck, FilterShares};
pub use look::{EventPages, LookPosition};

/// How long a second event with the same name and id is known as a repetition.
pub const EVENT_GUARD_KEPT: DurationMs = DurationMs::from_secs(24 * 3_600);

/// The most data of an event, in bytes.
pub const EVENT_BYTES_MAX: usize = 1024 * 1024;

/// The most paths that a node compares.
pub const PATHS_MAX: usize = 4;

/// The longest lookback.
pub const LOOKBACK_MAX: DurationMs = DurationMs::from_secs(3_600);

/// The longest path, in bytes, and its most parts.
const PATH_BYTES_MAX: usize = 256;
const PARTS_MAX: usize = 10;

/// The largest whole number that a floating-point number holds exactly.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// The key by which an event with an id of its sender's is known when it comes again.
pub fn event_guard(tenant: &TenantName, name: &EventName, id: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"event");
    for part in [tenant.as_str(), name.as_str(), id] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// A path into a body: `body.order.id`, `body."order no"`, `body.lines.0.sku`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MatchPath {
    text: String,
    parts: Vec<String>,
}

/// The text was no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a path into the body such as body.order.id, with at most 10 parts and 256 bytes; a part with a dot or a blank stands in double quotes"
)]
pub struct PathFault;

impl MatchPath {
    /// Reads a path. Two spellings of one path are the same path.
    pub fn parse(text: &str) -> Result<Self, PathFault> {
        if text.len() > PATH_BYTES_MAX || text.chars().any(char::is_control) {
            return Err(PathFault);
        }
        let mut parts = parts_of(text)?;
        if parts.len() > PARTS_MAX || parts.first().is_none_or(|root| root != "body") {
            return Err(PathFault);
        }
        parts.remove(0);
        let written = parts.iter().map(|part| format!(".{}", written(part)));
        Ok(Self { text: format!("body{}", written.collect::<String>()), parts })
    }

    /// The path, spelled in one way.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What stands there.
    pub fn value<'a>(&self, body: &'a Value) -> Option<&'a Value> {
        self.parts.iter().try_fold(body, |value, part| match value {
            Value::Array(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
            value => value.get(part),
        })
    }
}

/// Cuts at dots outside of quotes.
fn parts_of(text: &str) -> Result<Vec<String>, PathFault> {
    let (mut parts, mut rest) = (Vec::new(), text);
    loop {
        let part;
        if let Some(quoted) = rest.strip_prefix('"') {
            let end = end_of_quotes(quoted).ok_or(PathFault)?;
            part = serde_json::from_str(&rest[..end + 2]).map_err(|_not_text| PathFault)?;
            rest = &quoted[end + 1..];
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            part = rest[..end].to_owned();
            rest = &rest[end..];
            if part.contains(['"', ' ']) {
                return Err(PathFault);
            }
        }
        if part.is_empty() {
            return Err(PathFault);
        }
        parts.push(part);
        match rest.strip_prefix('.') {
            Some(more) => rest = more,
            None if rest.is_empty() => return Ok(parts),
            None => return Err(PathFault),
        }
    }
}

/// Where a text that began with a quote ends, backslashes aside.
fn end_of_quotes(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return Some(at),
            _ => {}
        }
    }
    None
}

fn written(part: &str) -> String {
    if part.contains(['.', '"', ' ', '\\']) { Value::from(part).to_string() } else { part.to_owned() }
}

/// Paths as they are stored, in one order.
pub fn paths_text<'a>(paths: impl Iterator<Item = &'a MatchPath>) -> String {
    let mut texts: Vec<&str> = paths.map(MatchPath::as_str).collect();
    texts.sort_unstable();
    Value::from(texts).to_string()
}

/// The output of a node that waited for a delivery; `None` where it is too large or too deep for one.
pub fn waited_output(
    event: &str,
    body: &Value,
    delivery_id: DeliveryId,
    received_at: Timestamp,
) -> Option<Value> {
    let output = json!({
        "event": event,
        "body": body,
        "deliveryId": delivery_id,
        "receivedAt": received_at.to_string(),
    });
    check_bounds(&output).ok().map(|()| output)
}

/// The digest of what stands at stored paths in a body; `None` where nothing or null stands at one of them, or where the
/// text is not one of [`paths_text`].
pub fn body_digest(paths: &str, body: &Value) -> Option<[u8; 32]> {
    let texts: Vec<String> = serde_json::from_str(paths).ok()?;
    let mut values = Vec::with_capacity(texts.len());
    for text in &texts {
        let path = MatchPath::parse(text).ok()?;
        values.push(path.value(body).filter(|value| !value.is_null())?);
    }
    Some(values_digest(values.into_iter()))
}

/// The digest of values, in the order of their paths. Values that are equal as JSON have one digest: the order of fields
/// does not count, and 1 is 1.0.
pub fn values_digest<'a>(values: impl Iterator<Item = &'a Value>) -> [u8; 32] {
    let mut hash = Sha256::new();
    for value in values {
        update(&mut hash, value);
    }
    hash.finalize().into()
}

fn update(hash: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hash.update(b"n"),
        Value::Bool(flag) => hash.update(if *flag { b"t" } else { b"f" }),
        Value::Number(number) => {
            let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
            match whole.filter(|float| float.abs() <= WHOLE_MAX) {
                Some(float) => text(hash, b'd', &(float as i64).to_string()),
                None => text(hash, b'd', &number.to_string()),
            }
        }
        Value::String(string) => text(hash, b's', string),
        Value::Array(items) => {
            text(hash, b'a', &items.len().to_string());
            for item in items {
                update(hash, item);
            }
        }
        Value::Object(fields) => {
            text(hash, b'o', &fields.len().to_string());
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            for (name, item) in sorted {
                text(hash, b'k', name);
                update(hash, item);
            }
        }
    }
}

fn text(hash: &mut Sha256, kind: u8, text: &str) {
    hash.update([kind]);
    hash.update((text.len() as u64).to_be_bytes());
    hash.update(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(value: &Value) -> [u8; 32] {
        values_digest(std::iter::once(value))
    }

    #[test]
    fn paths_lead_into_the_body() {
        let body = json!({"order": {"id": 7, "line no": {"a.b": [1, {"sku": "x"}]}}});
        let at = |text: &str| MatchPath::parse(text).expect("a path").value(&body).cloned();
        assert_eq!(at("body.order.id"), Some(json!(7)));
        assert_eq!(at(r#"body.order."line no"."a.b".1.sku"#), Some(json!("x")));
        assert_eq!(at("body.order.none.id"), None);
        assert_eq!(at("body"), Some(body.clone()));
        let one = MatchPath::parse(r#"body."order"."id""#).expect("a path");
        assert_eq!(one.as_str(), "body.order.id", "one spelling");
        for wrong in
            ["", "order.id", "body.", "body..id", "body.\"a", "body.a\"b", "body.a b", "bodyx", "body.\"a\"b"]
        {
            assert_eq!(MatchPath::parse(wrong), Err(PathFault), "{wrong}");
        }
        assert!(MatchPath::parse(&format!("body{}", ".a".repeat(10))).is_err(), "eleven parts");
    }

    #[test]
    fn equal_values_have_one_digest() {
        assert_eq!(digest(&json!({"a": 1, "b": [2.0, "x"]})), digest(&json!({"b": [2, "x"], "a": 1.0})));
        let values =
            [json!(1), json!("1"), json!(true), json!([1]), json!([[1]]), json!({"1": 1}), json!(1.5)];
        for (index, one) in values.iter().enumerate() {
            for other in &values[index + 1..] {
                assert_ne!(digest(one), digest(other), "{one} {other}");
            }
        }
        let large = 9_007_199_254_740_993_i64;
        assert_ne!(digest(&json!(large)), digest(&json!(large + 1)), "whole numbers are exact");
    }

    #[test]
    fn a_body_is_read_at_the_stored_paths() {
        let paths = ["body.z", "body.a.b"].map(|text| MatchPath::parse(text).expect("a path"));
        let stored = paths_text(paths.iter());
        assert_eq!(stored, r#"["body.a.b","body.z"]"#);
        let expected = values_digest([json!(1), json!("x")].iter());
        assert_eq!(body_digest(&stored, &json!({"z": "x", "a": {"b": 1}})), Some(expected));
        assert_eq!(body_digest(&stored, &json!({"z": "x", "a": {"b": null}})), None, "null is nothing");
        assert_eq!(
            body_digest("[]", &json!(null)),
            Some(values_digest([].iter())),
            "without paths all match"
        );
    }
}
