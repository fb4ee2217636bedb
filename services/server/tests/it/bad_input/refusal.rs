//! What every refusal has in common.

use serde_json::Value;

use crate::harness::{Answer, Client};

/// How many things of each kind there are.
pub(super) async fn counts(client: &Client) -> Vec<(&'static str, usize)> {
    let mut counts = Vec::new();
    let lists = [
        "/v1/jobs?queue=workflow-node",
        "/v1/jobs?queue=workflow-execution",
        "/v1/workflows",
        "/v1/executions",
        "/v1/api-keys",
        "/v1/dead-letters",
    ];
    for path in lists {
        counts.push((path, client.all(path).await.len()));
    }
    counts
}

/// Panics unless it is a problem below 500; answers its document.
pub(super) fn refused(what: &str, answer: &Answer) -> Value {
    assert!((400..500).contains(&answer.status), "{what}: {}: {}", answer.status, answer.text);
    answer.problem(answer.status)
}

/// Panics unless a fault is at `pointer` or below.
pub(super) fn points_at(what: &str, problem: &Value, pointer: &str) {
    let found = pointers(problem);
    let is_there = found.iter().any(|found| match found.strip_prefix(pointer) {
        Some(rest) => rest.is_empty() || rest.starts_with('/') || pointer.is_empty(),
        None => false,
    });
    assert!(is_there, "{what}: expected a fault at {pointer:?}: {problem}");
}

/// Where the faults are.
pub(super) fn pointers(problem: &Value) -> Vec<&str> {
    let faults = problem["errors"].as_array().into_iter().flatten();
    faults.filter_map(|fault| fault["pointer"].as_str()).collect()
}
