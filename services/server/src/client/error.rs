//! What a call can fail with, in words for people.

use serde_json::Value;

/// A failed call.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// No answer.
    #[error(
        "cannot reach {url}: is the server running? (start it with `trunkline serve`, or set --url or TRUNKLINE_URL)"
    )]
    Unreachable {
        /// Where it was looked for.
        url: String,
        /// Why.
        #[source]
        source: reqwest::Error,
    },
    /// The server refused; its problem document.
    #[error("{}", problem_text(.problem))]
    Problem {
        /// The HTTP status.
        status: u16,
        /// The document.
        problem: Value,
    },
    /// The answer was no JSON.
    #[error(
        "the server at {url} answered {status} with something that is not JSON; is it a Trunkline server?"
    )]
    NotJson {
        /// Where.
        url: String,
        /// The HTTP status.
        status: u16,
    },
}

fn problem_text(problem: &Value) -> String {
    let text = |key: &str| problem.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut lines = vec![match (text("detail"), text("title")) {
        ("", title) => title.to_owned(),
        (detail, _) => detail.to_owned(),
    }];
    if !text("code").is_empty() {
        lines[0] = format!("{} ({})", lines[0], text("code"));
    }
    for fault in problem.get("errors").and_then(Value::as_array).into_iter().flatten() {
        let part = |key: &str| fault.get(key).and_then(Value::as_str).unwrap_or_default();
        lines.push(format!("  {}: {}", part("pointer"), part("message")));
    }
    lines.join("\n")
}
