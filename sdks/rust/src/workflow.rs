//! Builds workflow definitions: the JSON that the documentation of workflows describes.
//!
//! ```
//! use trunkline_client::workflow::{Definition, Node, input, output, task};
//!
//! let order = Definition::new("order")
//!     .node(Node::new("check", task("order.check", input(&[]))))
//!     .node(Node::new("ship", task("order.ship", output("check", &[]))).depends_on(["check"]))
//!     .output(output("ship", &[]));
//! # assert!(order.check().is_ok());
//! ```

use std::collections::HashSet;
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::timestamp::text;

/// An unfinished definition. Errors that can be detected here are reported when it is serialized, for example by
/// `Client::push`.
#[derive(Debug, Clone)]
pub struct Definition {
    head: Map<String, Value>,
    nodes: Vec<Node>,
    on_failure: Vec<Node>,
}

/// An error in a definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// Two nodes have the same name.
    #[error("two nodes are named {0}")]
    Twice(String),
    /// A node names another one that is not there.
    #[error("node {node} depends on {on}, which is not a node of this workflow")]
    Missing {
        /// The node.
        node: String,
        /// What it names.
        on: String,
    },
}

impl Definition {
    /// Version 1 of a workflow.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let mut head = Map::new();
        head.insert("name".to_owned(), Value::String(name.into()));
        head.insert("version".to_owned(), json!(1));
        Self { head, nodes: Vec::new(), on_failure: Vec::new() }
    }

    fn with(mut self, name: &str, value: Value) -> Self {
        self.head.insert(name.to_owned(), value);
        self
    }

    /// Sets the version.
    #[must_use]
    pub fn version(self, version: u32) -> Self {
        self.with("version", json!(version))
    }

    /// The JSON Schema of the input.
    #[must_use]
    pub fn input_schema(self, schema: Value) -> Self {
        self.with("input", schema)
    }

    /// Maximum duration of a run.
    #[must_use]
    pub fn timeout(self, limit: Duration) -> Self {
        self.with("timeout", json!(text(limit)))
    }

    /// Default retry policy of nodes.
    #[must_use]
    pub fn retry(self, retry: &Retry) -> Self {
        self.with("retry", retry.to_json())
    }

    /// Maximum number of concurrent runs.
    #[must_use]
    pub fn max_concurrent(self, runs: u32) -> Self {
        self.with("limits", json!({ "maxConcurrent": runs }))
    }

    /// Output of a run, with `${…}` expressions.
    #[must_use]
    pub fn output(self, template: impl Into<Value>) -> Self {
        self.with("output", template.into())
    }

    /// Adds a node. Without `depends_on`, it starts immediately, in parallel with others.
    #[must_use]
    pub fn node(mut self, node: Node) -> Self {
        self.nodes.push(node);
        self
    }

    /// Adds a node that runs when the run fails; `${error.message}` is in scope.
    #[must_use]
    pub fn on_failure(mut self, node: Node) -> Self {
        self.on_failure.push(node);
        self
    }

    /// Checks the definition as far as possible here; the server checks the rest.
    pub fn check(&self) -> Result<(), DefinitionError> {
        let mut names = HashSet::new();
        for node in &self.nodes {
            if !names.insert(node.id.as_str()) {
                return Err(DefinitionError::Twice(node.id.clone()));
            }
        }
        for node in &self.nodes {
            if let Some(on) = node.depends_on.iter().find(|on| !names.contains(on.as_str())) {
                return Err(DefinitionError::Missing { node: node.id.clone(), on: on.clone() });
            }
        }
        Ok(())
    }

    /// The JSON, with its fields in the order of their names.
    pub fn to_json(&self) -> Result<Value, DefinitionError> {
        self.check()?;
        let nodes = |nodes: &[Node]| nodes.iter().map(Node::to_json).collect::<Vec<_>>();
        let mut head = self.head.clone();
        head.insert("nodes".to_owned(), nodes(&self.nodes).into());
        if !self.on_failure.is_empty() {
            head.insert("onFailure".to_owned(), nodes(&self.on_failure).into());
        }
        Ok(Value::Object(head))
    }
}

impl Serialize for Definition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

/// A node: a name, its work, and when it runs.
#[derive(Debug, Clone)]
pub struct Node {
    id: String,
    depends_on: Vec<String>,
    fields: Map<String, Value>,
}

impl Node {
    /// A node that does some work.
    #[must_use]
    pub fn new(id: impl Into<String>, work: Work) -> Self {
        Self { id: id.into(), depends_on: Vec::new(), fields: work.0 }
    }

    fn with(mut self, name: &str, value: Value) -> Self {
        self.fields.insert(name.to_owned(), value);
        self
    }

    /// The nodes that it depends on.
    #[must_use]
    pub fn depends_on<T: Into<String>>(mut self, ids: impl IntoIterator<Item = T>) -> Self {
        self.depends_on.extend(ids.into_iter().map(Into::into));
        self
    }

    /// A CEL condition; the node is skipped if it is false.
    #[must_use]
    pub fn when(self, condition: &str) -> Self {
        self.with("when", json!(condition))
    }

    /// Timeout of an attempt, or of a wait.
    #[must_use]
    pub fn timeout(self, limit: Duration) -> Self {
        self.with("timeout", json!(text(limit)))
    }

    /// The retry policy.
    #[must_use]
    pub fn retry(self, retry: &Retry) -> Self {
        self.with("retry", retry.to_json())
    }

    /// Uses the error as the output.
    #[must_use]
    pub fn continue_on_error(self) -> Self {
        self.with("onError", json!("continue"))
    }

    /// Continues at another node when no retries are left.
    #[must_use]
    pub fn goto_on_error(self, id: &str) -> Self {
        self.with("onError", json!({ "goto": id }))
    }

    /// The compensation of the node, which runs if the run fails later.
    #[must_use]
    pub fn compensate(self, work: Work) -> Self {
        self.with("compensate", Value::Object(work.0))
    }

    /// Repeats the node until the condition holds, at most `rounds` times.
    #[must_use]
    pub fn repeat(self, until: &str, rounds: u32, delay: Duration) -> Self {
        self.with("repeat", json!({ "until": until, "max": rounds, "delay": text(delay) }))
    }

    fn to_json(&self) -> Value {
        let mut fields = self.fields.clone();
        fields.insert("id".to_owned(), json!(self.id));
        if !self.depends_on.is_empty() {
            fields.insert("dependsOn".to_owned(), json!(self.depends_on));
        }
        Value::Object(fields)
    }
}

/// The work of a node.
#[derive(Debug, Clone)]
pub struct Work(Map<String, Value>);

impl Work {
    fn of(kind: &str) -> Self {
        Self(Map::new()).with("type", kind)
    }

    /// Sets a field of the node that this builder does not support.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }
}

/// A job for a worker. `input` may contain `${…}`.
#[must_use]
pub fn task(job_type: &str, input: impl Into<Value>) -> Work {
    Work::of("SERVICE_TASK").with("jobType", job_type).with("input", input)
}

/// A request that the server sends: `{"method", "url", "headers", "body"}`. Any 2xx is a success; change this with
/// `.with("expect", …)`.
#[must_use]
pub fn http(request: impl Into<Value>) -> Work {
    Work::of("HTTP").with("request", request)
}

/// Computes its output in place.
#[must_use]
pub fn transform(output: impl Into<Value>) -> Work {
    Work::of("TRANSFORM").with("output", output)
}

/// Waits.
#[must_use]
pub fn timer(wait: Duration) -> Work {
    Work::of("TIMER").with("duration", text(wait))
}

/// Waits until an instant, as RFC 3339 or an expression.
#[must_use]
pub fn timer_until(instant: &str) -> Work {
    Work::of("TIMER").with("until", instant)
}

/// Waits for a signal of this name; its payload is the output.
#[must_use]
pub fn signal(name: &str) -> Work {
    Work::of("SIGNAL").with("signal", name)
}

/// Waits for a person. Set the details with `.with("assignee" | "group" | "input" | "form" | "dueIn", …)`.
#[must_use]
pub fn user_task() -> Work {
    Work::of("USER_TASK")
}

/// Waits for one request to a one-time URL.
#[must_use]
pub fn wait_webhook() -> Work {
    Work::of("WAIT_WEBHOOK")
}

/// Runs the latest version of another workflow to its end; `.with("version", …)` selects another.
#[must_use]
pub fn child(workflow: &str, input: impl Into<Value>) -> Work {
    Work::of("WORKFLOW").with("workflow", workflow).with("input", input)
}

/// Runs work for each item of a list, at most `concurrency` at a time; `${item}` and `${index}` are in scope.
#[must_use]
pub fn map(items: impl Into<Value>, work: Work, concurrency: Option<u32>) -> Work {
    let out = Work::of("MAP").with("items", items).with("node", work.0);
    match concurrency {
        Some(concurrency) => out.with("concurrency", concurrency),
        None => out,
    }
}

/// Continues at the node of the first condition that is true, or else at `otherwise`, if set.
#[must_use]
pub fn switch(cases: &[(&str, &str)], otherwise: Option<&str>) -> Work {
    let cases: Vec<Value> = cases.iter().map(|(when, goto)| json!({ "when": when, "goto": goto })).collect();
    let out = Work::of("SWITCH").with("cases", cases);
    match otherwise {
        Some(otherwise) => out.with("default", otherwise),
        None => out,
    }
}

/// The retry policy of a node. `None` is the server's default.
#[derive(Debug, Clone, Default)]
pub struct Retry {
    /// Maximum number of retries.
    pub max_retries: u32,
    /// Delay before the first retry.
    pub initial: Option<Duration>,
    /// Multiplier of consecutive delays.
    pub factor: Option<f64>,
    /// Maximum delay.
    pub max: Option<Duration>,
    /// Whether delays are randomized.
    pub jitter: Option<bool>,
}

impl Retry {
    fn to_json(&self) -> Value {
        let fields = [
            ("maxRetries", Some(json!(self.max_retries))),
            ("initial", self.initial.map(|wait| json!(text(wait)))),
            ("factor", self.factor.map(|factor| json!(factor))),
            ("max", self.max.map(|wait| json!(text(wait)))),
            ("jitter", self.jitter.map(|jitter| json!(jitter))),
        ];
        let there = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(there.collect())
    }
}

/// `${nodes.ID.output.PATH}`, which keeps the type of its value.
#[must_use]
pub fn output(id: &str, path: &[&str]) -> String {
    format!("${{nodes{}.output{}}}", member(id), members(path))
}

/// `${input.PATH}`.
#[must_use]
pub fn input(path: &[&str]) -> String {
    format!("${{input{}}}", members(path))
}

fn members(path: &[&str]) -> String {
    path.iter().map(|name| member(name)).collect()
}

fn member(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty();
    if is_plain { format!(".{name}") } else { format!("[{}]", Value::String(name.to_owned())) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_definition_is_the_json_that_the_server_takes() {
        let order = Definition::new("order")
            .version(2)
            .timeout(Duration::from_hours(1))
            .retry(&Retry { max_retries: 2, initial: Some(Duration::from_secs(1)), ..Retry::default() })
            .node(Node::new("check", task("order.check", json!({ "id": input(&["id"]) }))))
            .node(
                Node::new("ship", task("order.ship", output("check", &[])))
                    .depends_on(["check"])
                    .when("input.ship"),
            )
            .on_failure(Node::new("tell", task("tell", json!({}))))
            .output(output("ship", &["parcel-no"]));
        let expected = json!({
            "name": "order", "version": 2, "timeout": "3600000ms", "retry": { "maxRetries": 2, "initial": "1000ms" },
            "nodes": [
                { "id": "check", "type": "SERVICE_TASK", "jobType": "order.check", "input": { "id": "${input.id}" } },
                { "id": "ship", "type": "SERVICE_TASK", "jobType": "order.ship", "input": "${nodes.check.output}",
                  "dependsOn": ["check"], "when": "input.ship" },
            ],
            "onFailure": [{ "id": "tell", "type": "SERVICE_TASK", "jobType": "tell", "input": {} }],
            "output": "${nodes.ship.output[\"parcel-no\"]}",
        });
        assert_eq!(serde_json::to_value(&order).expect("JSON"), expected);
    }

    #[test]
    fn mistakes_are_errors() {
        let twice =
            Definition::new("w").node(Node::new("a", signal("x"))).node(Node::new("a", wait_webhook()));
        assert_eq!(twice.check(), Err(DefinitionError::Twice("a".to_owned())));
        let missing = Definition::new("w").node(Node::new("a", signal("x")).depends_on(["b"]));
        let error = serde_json::to_string(&missing).expect_err("a mistake").to_string();
        assert!(error.contains("depends on b"), "{error}");
    }
}
