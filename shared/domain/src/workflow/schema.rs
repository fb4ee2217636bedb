//! The JSON Schema of definitions (draft 2020-12), for editors that complete and check while somebody types.
//!
//! It says what can be said without knowing more than one field: types, names, bounds, which fields a type has. Whether
//! nodes exist, who may read whom and whether expressions compile is what `parse` says. The whole is in this file,
//! `kinds` has the types of nodes.

mod kinds;

use serde_json::{Map, Value, json};

use crate::attribute::{AttributeType, PER_SCOPE_MAX};
use crate::limits::LIMIT_MAX;
use crate::rate::STARTS_MAX;
use crate::workflow::parse::{FACTOR_MAX, RETRIES_MAX, ROUNDS_MAX, VERSION_MAX};
use kinds::{by_type, described, kinds, type_field};

pub use kinds::{JOB_TYPE, NAME};

// The whole: a definition, its nodes, and what stands inside of nodes.

/// The JSON Schema of a definition. What it refuses `parse` refuses as well; it cannot see everything that `parse` does.
pub fn json_schema() -> Value {
    let mut defs: Map<String, Value> =
        definitions().into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    defs.extend(kinds().into_iter().map(|kind| (kind.name.to_owned(), kind.schema)));
    let all: Vec<&str> = kinds().iter().map(|kind| kind.name).collect();
    defs.insert("node".to_owned(), node(&all));
    defs.insert(
        "onFailureNode".to_owned(),
        json!({"$ref": "#/$defs/node", "properties": {"compensate": false}}),
    );
    defs.insert("item".to_owned(), task(&["SERVICE_TASK", "HTTP", "TRANSFORM", "WORKFLOW"]));
    defs.insert("compensation".to_owned(), task(&["SERVICE_TASK", "HTTP", "TRANSFORM"]));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:trunkline:workflow",
        "title": "Trunkline workflow",
        "description": "A workflow definition: nodes with dependencies.",
        "type": "object",
        "required": ["name", "version", "nodes"],
        "additionalProperties": false,
        "properties": document_fields(),
        "$defs": defs,
    })
}

fn document_fields() -> Value {
    json!({
        "$schema": {"type": "string", "description": "The address of this schema, for editors; not part of the content."},
        "name": described("#/$defs/name", "The workflow's name: a letter or digit, then at most 62 letters, digits, _ or -."),
        "version": {
            "type": "integer", "minimum": 1, "maximum": VERSION_MAX,
            "description": "Version of the workflow. The content of a registered version never changes; use a new version for a new content.",
        },
        "input": described("#/$defs/schema", "JSON Schema of the input of executions."),
        "limits": limits(),
        "unique": {
            "type": "object",
            "required": ["key"],
            "additionalProperties": false,
            "description": "A tenant has at most one open execution with the same key.",
            "properties": {
                "key": described("#/$defs/text", "The key, with expressions over the input."),
                "policy": {
                    "description": "Policy for a start while an execution with the key is open (default: join).",
                    "oneOf": [
                        {"const": "join", "description": "Returns the open execution."},
                        {"const": "reject", "description": "Rejects the start."},
                        {"const": "replace", "description": "Cancels the open execution and starts the new one once it has ended."},
                        {"const": "queue", "description": "Starts the new execution once earlier ones have ended."},
                    ],
                },
            },
        },
        "attributes": attributes(),
        "timeout": described("#/$defs/timeout", "Maximum duration of an execution."),
        "expiresIn": described("#/$defs/timeout", "Maximum wait for the start of an execution, which is then cancelled with the code expired."),
        "retry": described("#/$defs/retry", "Default retry policy of the nodes."),
        "nodes": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/node"}, "description": "The nodes."},
        "output": described("#/$defs/template", "Output of the execution (default: the outputs of the nodes that no other node depends on)."),
        "onFailure": {
            "type": "array",
            "items": {"$ref": "#/$defs/onFailureNode"},
            "description": "Nodes that run after the execution has failed and completed nodes are compensated. error is in scope.",
        },
    })
}

/// How many executions there may be at once and in a period.
fn limits() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "maxConcurrent": {
                "type": "integer", "minimum": 1, "maximum": LIMIT_MAX,
                "description": "Maximum number of concurrent executions.",
            },
            "rate": {
                "description": "Maximum number of starts per period: a window such as \"100/1m\", which allows at most 100 starts in any minute, or a token bucket that refills evenly.",
                "oneOf": [
                    {"type": "string", "pattern": "^[0-9]{1,7}/[0-9a-z]+$"},
                    {
                        "type": "object",
                        "required": ["starts", "per", "burst"],
                        "additionalProperties": false,
                        "properties": {
                            "starts": {"type": "integer", "minimum": 1, "maximum": STARTS_MAX},
                            "per": described("#/$defs/duration", "The period."),
                            "burst": {"type": "integer", "minimum": 1, "maximum": STARTS_MAX},
                        },
                    },
                ],
            },
        },
    })
}

/// The names by which executions are found.
fn attributes() -> Value {
    json!({
        "type": "object",
        "maxProperties": PER_SCOPE_MAX,
        "description": "Searchable attributes of executions. An attribute with a value is set when the execution starts; nodes set attributes when they complete.",
        "propertyNames": {"pattern": "^[A-Za-z][A-Za-z0-9_]{0,62}$"},
        "additionalProperties": {
            "type": "object",
            "required": ["type"],
            "additionalProperties": false,
            "properties": {
                "type": {"enum": AttributeType::NAMES, "description": "Type of the values."},
                "value": described("#/$defs/template", "Value at the start, with expressions over the input. A list sets up to 16 values."),
            },
        },
    })
}

fn node(types: &[&str]) -> Value {
    json!({
        "type": "object",
        "required": ["id", "type"],
        "properties": {
            "id": described("#/$defs/nodeId", "Unique in the workflow: a letter or digit, then at most 62 letters, digits, _ or -."),
            "type": type_field(types),
            "dependsOn": {
                "type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/nodeId"},
                "description": "Nodes that must be done before this node starts.",
            },
            "when": described("#/$defs/expression", "Condition: the node is skipped if it is false."),
            "retryCount": {"$ref": "#/$defs/retryCount"},
            "retry": described("#/$defs/retry", "Retry policy for failed attempts."),
            "timeout": described("#/$defs/timeout", "Timeout of an attempt, or of the wait of a waiting node."),
            "expiresIn": described("#/$defs/timeout", "Maximum wait for the start of its job or child. The node then fails with the code expired."),
            "concurrencyKey": {"type": "string", "description": "Concurrency key: at most one leased job of the tenant has it. Expressions are evaluated for each item of a MAP."},
            "rateKey": {"type": "string", "description": "Rate key of the tenant: starts of its jobs also count against the rate of this key. Expressions are evaluated for each item of a MAP."},
            "attributes": {
                "type": "object",
                "description": "Attributes of the execution to set when the node completes. The node's own output is in scope.",
                "additionalProperties": {"$ref": "#/$defs/template"},
            },
            "priority": described("#/$defs/tier", "Priority (default: the execution's)."),
            "onError": on_error(),
            "compensate": described("#/$defs/compensation", "Compensation of the node, which runs if the node completed and the execution fails."),
            "repeat": repeat(),
        },
        "dependentSchemas": {"retryCount": {"properties": {"retry": false}}},
        "allOf": by_type(types),
        "unevaluatedProperties": false,
    })
}

fn on_error() -> Value {
    json!({
        "description": "What happens when the node fails permanently.",
        "oneOf": [
            {"const": "fail", "description": "The execution fails. The default."},
            {"const": "continue", "description": "The node counts as completed, with the output {\"error\": …}."},
            {
                "type": "object",
                "required": ["goto"],
                "additionalProperties": false,
                "properties": {"goto": {"$ref": "#/$defs/nodeId"}},
                "description": "Like continue, but of the nodes that depend on it, only this one runs.",
            },
        ],
    })
}

fn repeat() -> Value {
    json!({
        "type": "object",
        "description": "Runs the node again until a condition on its output holds.",
        "required": ["until", "max"],
        "additionalProperties": false,
        "properties": {
            "until": described("#/$defs/expression", "Condition that ends the loop when it is true. The node's own output is in scope."),
            "max": {
                "type": "integer", "minimum": 1, "maximum": ROUNDS_MAX,
                "description": "Maximum number of rounds, after which the node fails with the code repeat_exhausted.",
            },
            "delay": described("#/$defs/duration", "Delay between two rounds (default: none)."),
        },
    })
}

/// What is no node of its own.
fn task(types: &[&str]) -> Value {
    json!({
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": type_field(types),
            "retryCount": {"$ref": "#/$defs/retryCount"},
            "retry": {"$ref": "#/$defs/retry"},
            "timeout": described("#/$defs/timeout", "Timeout of an attempt."),
        },
        "dependentSchemas": {"retryCount": {"properties": {"retry": false}}},
        "allOf": by_type(types),
        "unevaluatedProperties": false,
    })
}

// Names, durations, expressions and retries.

/// Whole numbers with units, the largest unit first. Which numbers are too long is left to the server.
const DURATION: &str = r"^\s*([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?\s*$";

/// The definitions that others refer to.
fn definitions() -> Vec<(&'static str, Value)> {
    vec![
        ("name", json!({"type": "string", "pattern": NAME})),
        (
            "nodeId",
            json!({"type": "string", "pattern": NAME, "description": "ID of a node of this workflow."}),
        ),
        (
            "duration",
            json!({
                "type": "string", "minLength": 2, "pattern": DURATION,
                "description": "Integers with units (d, h, m, s, ms), largest first, such as 500ms, 30s, 5m, 1h30m or 3d.",
                "examples": ["500ms", "30s", "5m", "1h30m", "3d"],
            }),
        ),
        ("timeout", json!({"$ref": "#/$defs/duration", "pattern": "[1-9]"})),
        (
            "expression",
            json!({
                "type": "string", "pattern": r"\S",
                "description": "A CEL expression. In scope: input, nodes.<id>.output, nodes.<id>.status, execution, and, where available, item, index and error.",
                "examples": ["nodes.charge.output.total > 1000"],
            }),
        ),
        (
            "template",
            json!({"description": "Any value; ${…} in its strings is a CEL expression. A string that is one ${…} keeps the type of the value."}),
        ),
        ("text", json!({"type": "string", "description": "Text, with CEL expressions as ${…}."})),
        (
            "who",
            json!({"type": "string", "pattern": r"\S", "description": "A name, with CEL expressions as ${…}."}),
        ),
        ("tier", json!({"enum": ["high", "normal", "low"]})),
        ("retry", retry()),
        (
            "retryCount",
            json!({
                "type": "integer", "minimum": 0, "maximum": RETRIES_MAX,
                "description": "Short for retry.maxRetries.",
            }),
        ),
        ("schema", schema()),
    ]
}

fn retry() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "maxRetries": {
                "type": "integer", "minimum": 0, "maximum": RETRIES_MAX,
                "description": "Maximum number of retries after a failure.",
            },
            "initial": described("#/$defs/duration", "Delay before the first retry (default: 1s)."),
            "factor": {
                "type": "number", "minimum": 1, "maximum": FACTOR_MAX,
                "description": "Multiplier of consecutive delays (default: 2).",
            },
            "max": described("#/$defs/duration", "Maximum delay (default: 5m)."),
            "jitter": {"type": "boolean", "description": "Whether delays are randomized (default: true)."},
        },
    })
}

/// A schema inside of the definition.
fn schema() -> Value {
    json!({
        "type": "object",
        "$ref": "https://json-schema.org/draft/2020-12/schema",
        "description": "A JSON Schema (draft 2020-12). References to other documents are rejected.",
    })
}

#[cfg(test)]
mod tests;
