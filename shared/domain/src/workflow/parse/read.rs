//! The two ways in: text from outside, and canonical text that was stored before.

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::Fault;
use crate::workflow::definition::Definition;
use crate::workflow::expression::EXPRESSION_BYTES_MAX;
use crate::workflow::parse::canonical::to_canonical_json;
use crate::workflow::parse::document::read_definition;
use crate::workflow::parse::fields::Faults;
use crate::workflow::parse::text::read_text;

/// How the text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
}

/// How large a definition may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefinitionLimits {
    /// The text, and its canonical form, in bytes.
    pub size_bytes_max: usize,
    /// How many nodes it lists.
    pub nodes_max: usize,
    /// One expression, in bytes.
    pub expression_bytes_max: usize,
}

impl Default for DefinitionLimits {
    fn default() -> Self {
        Self { size_bytes_max: 1024 * 1024, nodes_max: 1_000, expression_bytes_max: EXPRESSION_BYTES_MAX }
    }
}

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
