//! What is allowed in a definition and is better done otherwise.

use serde_json::Value;

use crate::error::Fault;
use crate::workflow::parse::fields::escape;

/// Headers whose values are credentials.
const CREDENTIALS: [&str; 4] = ["authorization", "proxy-authorization", "x-api-key", "cookie"];
/// The most warnings of one definition.
const WARNINGS_MAX: usize = 100;

/// Credentials that are written into the definition, where everybody who may read workflows reads them.
pub fn warnings(definition: &Value) -> Vec<Fault> {
    let mut found = Vec::new();
    look(definition, "", &mut found);
    found
}

fn look(value: &Value, pointer: &str, found: &mut Vec<Fault>) {
    match value {
        Value::Object(fields) => {
            if fields.get("type").and_then(Value::as_str) == Some("HTTP") {
                headers(fields.get("request"), pointer, found);
            }
            for (field, value) in fields {
                look(value, &format!("{pointer}/{}", escape(field)), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                look(item, &format!("{pointer}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn headers(request: Option<&Value>, pointer: &str, found: &mut Vec<Fault>) {
    let headers = request.and_then(|request| request.get("headers")).and_then(Value::as_object);
    for (name, value) in headers.into_iter().flatten() {
        let is_credential = CREDENTIALS.iter().any(|known| name.eq_ignore_ascii_case(known));
        let is_literal = value.as_str().is_some_and(|text| !text.is_empty() && !text.contains("${"));
        if is_credential && is_literal && found.len() < WARNINGS_MAX {
            let message =
                "a credential is written into the definition; store it as a secret and write ${secrets.name}";
            found.push(Fault::new(format!("{pointer}/request/headers/{}", escape(name)), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn credentials_in_definitions_are_warned_of() {
        let http = |header: &str, value: &str| json!({"id": "a", "type": "HTTP", "request": {"url": "https://x", "headers": {header: value}}});
        let pointers = |nodes: Value| {
            let found = warnings(&json!({"name": "w", "nodes": nodes}));
            found.into_iter().map(|fault| fault.pointer).collect::<Vec<_>>()
        };
        assert_eq!(
            pointers(json!([http("accept", "x"), http("Authorization", "Bearer abc")])),
            ["/nodes/1/request/headers/Authorization"]
        );
        assert_eq!(
            pointers(json!([{"id": "m", "type": "MAP", "task": http("x-api-key", "abc")}])),
            ["/nodes/0/task/request/headers/x-api-key"]
        );
        for value in ["Bearer ${secrets.api}", "${input.token}", ""] {
            assert!(pointers(json!([http("authorization", value)])).is_empty(), "{value}");
        }
    }
}
