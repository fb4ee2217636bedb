//! Names, durations, expressions and retries.

use serde_json::{Value, json};

use crate::workflow::parse::{FACTOR_MAX, RETRIES_MAX};

/// Names and ids.
const NAME: &str = "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$";

/// Whole numbers with units, the largest unit first. Which numbers are too long is left to the server.
const DURATION: &str = r"^\s*([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?\s*$";

/// The definitions that others refer to.
pub(super) fn definitions() -> Vec<(&'static str, Value)> {
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

/// A reference with a description of its own.
pub(super) fn described(reference: &str, description: &str) -> Value {
    json!({"$ref": reference, "description": description})
}
