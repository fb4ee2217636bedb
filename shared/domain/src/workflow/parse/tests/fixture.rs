//! Small definitions with one thing changed.

use serde_json::{Value, json};

use crate::error::Fault;
use crate::workflow::parse::{DefinitionLimits, Format, Parsed, parse};

pub(super) fn parse_json(value: &Value) -> Result<Parsed, Vec<Fault>> {
    parse(value.to_string().as_bytes(), Format::Json, &DefinitionLimits::default())
}

pub(super) fn transform(id: &str, depends_on: &[&str], output: &Value) -> Value {
    json!({"id": id, "type": "TRANSFORM", "dependsOn": depends_on, "output": output})
}

pub(super) fn workflow(nodes: &[Value]) -> Value {
    json!({"name": "orders", "version": 1, "nodes": nodes})
}

#[track_caller]
pub(super) fn assert_fault(definition: &Value, pointer: &str, part: &str) {
    let faults =
        parse_json(definition).map(|parsed| parsed.canonical_json).expect_err(&definition.to_string());
    let found = faults.iter().any(|fault| fault.pointer == pointer && fault.message.contains(part));
    assert!(found, "expected {pointer:?} {part:?} in {faults:#?}");
}
