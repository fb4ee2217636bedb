//! Reads and checks workflow definitions. Reports every fault it finds, each with a JSON pointer, and stores nothing.
//!
//! `text` turns JSON or YAML into a value without surprises (duplicate keys, NUL, depth), `yaml` what is not read of
//! YAML, `fields` reads objects whose unknown fields are faults, `document`, `node` and `kinds` give them their
//! meaning, `graph` checks who waits for whom and who reads whom, and `expressions` compiles what is read. The ways in,
//! the bounds and the canonical form, which the content hash is of, are in this file.

mod attributes;
mod bounds;
mod document;
mod expressions;
mod failure;
mod fields;
mod graph;
mod kinds;
mod node;
mod text;
mod yaml;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::Fault;
use crate::workflow::definition::Definition;
use document::read_definition;
use fields::Faults;
use text::read_text;

pub use bounds::DefinitionLimits;
pub(in crate::workflow) use bounds::{
    DELAY_MAX, EVENTS_MAX, FACTOR_MAX, MAP_ITEMS_MAX, RETRIES_MAX, ROUNDS_MAX, VERSION_MAX,
};
pub use document::warnings;
pub use expressions::compile_template;
pub(super) use fields::escape;
pub(crate) use kinds::{METHODS, is_http};
pub use text::Format;

// The two ways in: text from outside, and canonical text that was stored before.

/// A definition that passed, with what is stored of it.
#[derive(Debug)]
pub struct Parsed {
    /// The definition.
    pub definition: Definition,
    /// The same as JSON with sorted keys and no white space.
    pub canonical_json: String,
    /// The SHA-256 of the canonical text as 64 hex digits.
    pub content_hash: String,
}

/// Reads and checks a definition. Returns every fault that was found (at most a thousand); never panics.
pub fn parse(text: &[u8], format: Format, limits: &DefinitionLimits) -> Result<Parsed, Vec<Fault>> {
    parse_with(text, format, limits, Faults::default())
}

fn parse_with(
    text: &[u8],
    format: Format,
    limits: &DefinitionLimits,
    mut faults: Faults,
) -> Result<Parsed, Vec<Fault>> {
    let Some(mut value) = read_text(text, format, limits.size_bytes_max, &mut faults) else {
        return Err(faults.into_vec());
    };
    drop_schema_name(&mut value);
    let canonical_json = to_canonical_json(&value);
    if canonical_json.len() > limits.size_bytes_max {
        faults.add("", format!("the definition is larger than {} bytes", limits.size_bytes_max));
        return Err(faults.into_vec());
    }
    let definition = read_definition(&value, limits, &mut faults);
    match definition {
        Some(mut definition) if faults.is_empty() => {
            definition.canonical_json.clone_from(&canonical_json);
            let content_hash = hex::encode(Sha256::digest(canonical_json.as_bytes()));
            Ok(Parsed { definition, canonical_json, content_hash })
        }
        _ => Err(faults.into_vec()),
    }
}

/// `$schema` at the top names the schema for an editor. It says nothing about the workflow, and is no part of its
/// content.
fn drop_schema_name(value: &mut Value) {
    if let Some(fields) = value.as_object_mut()
        && fields.get("$schema").is_some_and(Value::is_string)
    {
        fields.remove("$schema");
    }
}

/// Reads a canonical text that [`parse`] made, in this or another version, whatever its limits and rules were then. Fails
/// only where the text has no meaning here.
pub fn parse_stored(canonical_json: &str) -> Result<Definition, Vec<Fault>> {
    let unlimited = DefinitionLimits {
        size_bytes_max: usize::MAX,
        nodes_max: usize::MAX,
        expression_bytes_max: usize::MAX,
    };
    let faults = Faults::of_stored();
    parse_with(canonical_json.as_bytes(), Format::Json, &unlimited, faults).map(|parsed| parsed.definition)
}

// The canonical form of a definition: JSON with sorted keys and no white space. Two texts that mean the same have
// the same content hash.

/// Writes the canonical form. Sorts by itself, so that it does not depend on how `serde_json` keeps its maps.
fn to_canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by_key(|(field, _)| *field);
            text.push('{');
            for (index, (field, item)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(field.as_str()).to_string());
                text.push(':');
                write(item, text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
pub(super) mod tests;
