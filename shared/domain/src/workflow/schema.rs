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
        "description": "A workflow definition: nodes that wait for one another.",
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
            "description": "What is registered under a version never changes; a new content takes a new version.",
        },
        "input": described("#/$defs/schema", "What an execution may be started with: a JSON Schema."),
        "limits": limits(),
        "unique": {
            "type": "object",
            "required": ["key"],
            "additionalProperties": false,
            "description": "At most one execution with a key is under way for a tenant.",
            "properties": {
                "key": described("#/$defs/text", "The key, made from the input."),
                "policy": {
                    "description": "What is done while an execution with the key is open; join where absent.",
                    "oneOf": [
                        {"const": "join", "description": "The open one is the answer."},
                        {"const": "reject", "description": "The start is refused."},
                        {"const": "replace", "description": "The open one is cancelled, and the new one starts once it ended."},
                        {"const": "queue", "description": "The new one starts once those before it ended."},
                    ],
                },
            },
        },
        "attributes": attributes(),
        "timeout": described("#/$defs/timeout", "How long an execution may take."),
        "expiresIn": described("#/$defs/timeout", "How long an execution may wait for its start; then it is cancelled with the code expired."),
        "retry": described("#/$defs/retry", "The retries of nodes that say nothing themselves."),
        "nodes": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/node"}, "description": "The nodes."},
        "output": described("#/$defs/template", "The output; the outputs of the nodes that none waits for where absent."),
        "onFailure": {
            "type": "array",
            "items": {"$ref": "#/$defs/onFailureNode"},
            "description": "Nodes that run once the execution has failed and what completed is undone; error is in scope.",
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
                "description": "How many executions may be under way at once.",
            },
            "rate": {
                "description": "How many executions may be started in a period: \"100/1m\", in any such period; or a bucket of tokens that refills evenly.",
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
        "description": "Names by which executions are found: with a value they are set at the start, and nodes set them as they complete.",
        "propertyNames": {"pattern": "^[A-Za-z][A-Za-z0-9_]{0,62}$"},
        "additionalProperties": {
            "type": "object",
            "required": ["type"],
            "additionalProperties": false,
            "properties": {
                "type": {"enum": AttributeType::ALL.map(AttributeType::as_str), "description": "The type of its values."},
                "value": described("#/$defs/template", "What it is set to at the start, made from the input; a list gives up to 16 values."),
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
                "description": "The nodes that have to be done before this one starts.",
            },
            "when": described("#/$defs/expression", "Skips the node when it is false."),
            "retryCount": {"$ref": "#/$defs/retryCount"},
            "retry": described("#/$defs/retry", "How a failed attempt is tried again."),
            "timeout": described("#/$defs/timeout", "The longest attempt; the longest wait of a node that waits."),
            "expiresIn": described("#/$defs/timeout", "How long its job or child may wait for the start; then the node fails with the code expired."),
            "concurrencyKey": {"type": "string", "description": "At most one leased job of the tenant has this key; with expressions, for each item of a MAP anew."},
            "rateKey": {"type": "string", "description": "Starts of its jobs are counted under this key of the tenant besides; with expressions, for each item of a MAP anew."},
            "attributes": {
                "type": "object",
                "description": "Sets attributes of the execution once the node completed; its own output is in scope.",
                "additionalProperties": {"$ref": "#/$defs/template"},
            },
            "priority": described("#/$defs/tier", "Its tier; that of the execution where absent."),
            "onError": on_error(),
            "compensate": described("#/$defs/compensation", "Undoes the node, once it completed and the execution fails."),
            "repeat": repeat(),
        },
        "dependentSchemas": {"retryCount": {"properties": {"retry": false}}},
        "allOf": by_type(types),
        "unevaluatedProperties": false,
    })
}

fn on_error() -> Value {
    json!({
        "description": "What happens when the node fails for good.",
        "oneOf": [
            {"const": "fail", "description": "The execution fails. The default."},
            {"const": "continue", "description": "The node counts as completed, with the output {\"error\": …}."},
            {
                "type": "object",
                "required": ["goto"],
                "additionalProperties": false,
                "properties": {"goto": {"$ref": "#/$defs/nodeId"}},
                "description": "As continue, but of the nodes that wait for it only this one goes on.",
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
            "until": described("#/$defs/expression", "Ends the loop when it is true. The node's own output is in scope."),
            "max": {
                "type": "integer", "minimum": 1, "maximum": ROUNDS_MAX,
                "description": "The most rounds; then the node fails with the code repeat_exhausted.",
            },
            "delay": described("#/$defs/duration", "The wait between two rounds; none where absent."),
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
            "timeout": described("#/$defs/timeout", "The longest attempt."),
        },
        "dependentSchemas": {"retryCount": {"properties": {"retry": false}}},
        "allOf": by_type(types),
        "unevaluatedProperties": false,
    })
}

// Names, durations, expressions and retries.

/// Names and ids.
const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$";

/// Whole numbers with units, the largest unit first. Which numbers are too long is left to the server.
const DURATION: &str = r"^\s*([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?\s*$";

/// The definitions that others refer to.
fn definitions() -> Vec<(&'static str, Value)> {
    vec![
        ("name", json!({"type": "string", "pattern": NAME})),
        (
            "nodeId",
            json!({"type": "string", "pattern": NAME, "description": "The id of a node of this workflow."}),
        ),
        (
            "duration",
            json!({
                "type": "string", "minLength": 2, "pattern": DURATION,
                "description": "Whole numbers with units (d, h, m, s, ms), the largest first, such as 500ms, 30s, 5m, 1h30m or 3d.",
                "examples": ["500ms", "30s", "5m", "1h30m", "3d"],
            }),
        ),
        ("timeout", json!({"$ref": "#/$defs/duration", "pattern": "[1-9]"})),
        (
            "expression",
            json!({
                "type": "string", "pattern": r"\S",
                "description": "A CEL expression. In scope: input, nodes.<id>.output, nodes.<id>.status, execution, and where they exist item, index and error.",
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
                "description": "How often a failed attempt is tried again.",
            },
            "initial": described("#/$defs/duration", "The wait before the first retry; 1s where absent."),
            "factor": {
                "type": "number", "minimum": 1, "maximum": FACTOR_MAX,
                "description": "By how much each wait is longer than the one before; 2 where absent.",
            },
            "max": described("#/$defs/duration", "The longest wait; 5m where absent."),
            "jitter": {"type": "boolean", "description": "Whether waits are spread; true where absent."},
        },
    })
}

/// A schema inside of the definition.
fn schema() -> Value {
    json!({
        "type": "object",
        "$ref": "https://json-schema.org/draft/2020-12/schema",
        "description": "A JSON Schema (draft 2020-12). References to other documents are refused.",
    })
}

#[cfg(test)]
mod tests;
