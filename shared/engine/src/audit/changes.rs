//! What a change has changed, as the audit log shows it: the fields that differ, secrets as `***`, and payloads by their length
//! and digest.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// Fields that hold what callers give to executions.
const PAYLOADS: [&str; 2] = ["data", "input"];

/// Fields that hold secrets.
const SECRETS: [&str; 4] = ["password", "secret", "secrets", "verifyToken"];

/// How a secret is shown.
pub(crate) const SECRET: &str = "***";

/// Larger values are shown by their length and digest: a row of the log is bounded.
const VALUE_BYTES_MAX: usize = 4_096;

/// The fields of two documents that differ, as they were and as they are. A document that is null stays null: there was no
/// object, or there is none any more.
pub(crate) fn differences(before: &Value, after: &Value) -> (Value, Value) {
    let value = |document: &Value, name: &str| document.get(name).cloned().unwrap_or_default();
    let names = |document: &Value| -> Vec<String> {
        document.as_object().into_iter().flat_map(Map::keys).cloned().collect()
    };
    let mut differing = names(before);
    differing.extend(names(after));
    differing.retain(|name| value(before, name) != value(after, name));
    let of = |document: &Value| {
        if document.is_null() {
            return Value::Null;
        }
        let fields = differing.iter().map(|name| (name.clone(), shown(name, &value(document, name))));
        Value::Object(fields.collect())
    };
    (of(before), of(after))
}

/// What is kept as the JSON of its configuration, beside its name and whether it is paused, as one document.
pub(crate) fn document(config: &str, name: &str, is_paused: bool) -> Value {
    let mut fields: Map<String, Value> = serde_json::from_str(config).unwrap_or_default();
    fields.insert("name".to_owned(), name.into());
    fields.insert("paused".to_owned(), is_paused.into());
    Value::Object(fields)
}

/// A value under the name of its field.
fn shown(name: &str, value: &Value) -> Value {
    if value.is_null() {
        return Value::Null;
    }
    if SECRETS.contains(&name) {
        return SECRET.into();
    }
    if PAYLOADS.contains(&name) {
        return digest(value);
    }
    let inner = match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shown(name, value))).collect()
        }
        Value::Array(items) => items.iter().map(|item| shown("", item)).collect(),
        value => value.clone(),
    };
    if inner.to_string().len() > VALUE_BYTES_MAX { digest(value) } else { inner }
}

fn digest(value: &Value) -> Value {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    json!({ "bytes": text.len(), "sha256": hex::encode(Sha256::digest(text.as_bytes())) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_differ_are_shown_without_secrets_and_payloads() {
        let before = json!({"name": "a", "paused": false, "input": {"n": 1}, "secrets": ["one"], "gone": 1});
        let after = json!({
            "name": "a", "paused": true, "input": {"n": 2}, "secrets": ["two"],
            "triggers": [{"workflow": "w", "input": {"n": 1}}],
        });
        let (was, is) = differences(&before, &after);
        let of = |number: u8| digest(&json!({ "n": number }));
        assert_eq!(
            was,
            json!({"paused": false, "input": of(1), "secrets": "***", "gone": 1, "triggers": null})
        );
        assert_eq!(
            is,
            json!({
                "paused": true, "input": of(2), "secrets": "***", "gone": null,
                "triggers": [{"workflow": "w", "input": of(1)}],
            })
        );
        assert_eq!(of(1)["bytes"], 7);
    }

    #[test]
    fn what_was_made_and_what_was_removed_is_shown_whole() {
        let object = json!({"name": "a", "note": null});
        assert_eq!(differences(&Value::Null, &object), (Value::Null, json!({"name": "a"})));
        assert_eq!(differences(&object, &Value::Null), (json!({"name": "a"}), Value::Null));
    }

    #[test]
    fn long_values_are_shown_by_their_length() {
        let after = json!({"filter": "x".repeat(VALUE_BYTES_MAX + 1)});
        let (_, is) = differences(&json!({"filter": "x"}), &after);
        assert_eq!(is["filter"]["bytes"], VALUE_BYTES_MAX + 1);
    }
}
