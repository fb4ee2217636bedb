//! The examples of the OpenAPI document: each is sent to a server, which accepts it.

use serde_json::Value;

use crate::harness::{Answer, Client, Harness};

/// What stands in paths; ids are those of nothing, so that a call with one ends after its body was read.
const PARAMETERS: &[(&str, &str)] = &[
    ("tenant", "acme"),
    ("queue", "workflow-node"),
    ("jobType", "send-email"),
    ("nodeId", "review"),
    ("fingerprint", "0123456789abcdef"),
    ("key", "smtp"),
    ("version", "1"),
    ("executionId", "exe_00000000000000000000000000000000"),
    ("token", "none"),
];
/// What a server answers whose body was right: done, no such object, not in this state, or not on this database.
const ACCEPTED: &[u16] = &[200, 201, 202, 204, 404, 409];

/// A path with something in the place of its parameters.
pub(crate) fn filled(path: &str, operation: &Value) -> String {
    let mut filled = path.to_owned();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().expect("a name");
        let known = PARAMETERS.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let value =
            match parameter["schema"]["pattern"].as_str().and_then(|pattern| pattern.strip_prefix('^')) {
                Some(pattern) if name == "id" => {
                    format!("{}{}", pattern.split('[').next().unwrap_or(""), "0".repeat(32))
                }
                _ => known.unwrap_or_else(|| "ship-order".to_owned()),
            };
        filled = filled.replace(&format!("{{{name}}}"), &value);
    }
    filled
}

/// The type and the example of an operation's body, if it has one.
pub(crate) fn body_of(operation: &Value) -> Option<(String, String)> {
    let content = operation["requestBody"]["content"].as_object()?;
    let (kind, content) = content.iter().next().expect("a body has a type");
    let text = match &content["example"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some((kind.clone(), text))
}

async fn send(admin: &Client, method: &str, path: &str, operation: &Value) -> Option<Answer> {
    let (kind, text) = body_of(operation)?;
    let mut request = admin.request(&method.to_uppercase(), &filled(path, operation), text);
    request.headers_mut().insert("content-type", kind.parse().expect("a type"));
    Some(admin.send(request).await)
}

#[tokio::test]
async fn every_example_of_a_body_is_accepted() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let document: Value = serde_json::from_str(&api::openapi_json()).expect("JSON");
    let paths = document["paths"].as_object().expect("paths");
    // What others name is there first.
    for first in ["/v1/tenants", "/v1/workflows"] {
        let answer = send(&admin, "post", first, &paths[first]["post"]).await.expect("a body");
        assert_eq!(answer.status.as_u16(), 201, "{first}: {}", answer.text);
    }
    let mut wrong = Vec::new();
    let mut sent = 0;
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("operations") {
            // An erased tenant takes nothing more.
            let is_last = path.ends_with("/erase");
            let answer = if is_last { None } else { send(&admin, method, path, operation).await };
            let Some(answer) = answer else { continue };
            sent += 1;
            if !ACCEPTED.contains(&answer.status.as_u16()) {
                wrong.push(format!("{method} {path}: {} {}", answer.status, answer.text));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(sent > 70, "{sent} bodies");
    let erase = "/v1/tenants/{tenant}/erase";
    let erased = send(&admin, "post", erase, &paths[erase]["post"]).await.expect("a body");
    assert_eq!(erased.status.as_u16(), 202, "{}", erased.text);
}
