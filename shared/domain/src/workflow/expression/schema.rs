//! JSON Schema (draft 2020-12) of an execution's input. References to other documents are refused: nothing is
//! fetched, here or anywhere.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use crate::error::Fault;
use crate::workflow::definition::Definition;

/// The most faults that are reported of one input or schema.
const FAULTS_MAX: usize = 50;

/// The longest message about one fault, in characters.
const MESSAGE_CHARS_MAX: usize = 300;

/// A schema ready to check inputs.
#[derive(Debug)]
pub struct InputSchema {
    validator: Validator,
}

impl InputSchema {
    /// Checks the schema itself and compiles it. Pointers in the faults are relative to the schema.
    pub fn compile(schema: &Value) -> Result<Self, Vec<Fault>> {
        let faults: Vec<Fault> = jsonschema::draft202012::meta::validator()
            .iter_errors(schema)
            .take(FAULTS_MAX)
            .map(|error| {
                Fault::new(
                    error.instance_path().to_string(),
                    shortened(format!("not a valid JSON Schema: {error}")),
                )
            })
            .collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        // Patterns run on the engine without backtracking, so that no input can make a check slow.
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(PatternOptions::regex())
            .offline()
            .build(schema)
            .map(|validator| Self { validator })
            .map_err(|error| {
                let message = shortened(format!("not a valid JSON Schema: {error}"));
                vec![Fault::new(error.instance_path().to_string(), message)]
            })
    }

    /// Checks a value. The messages name fields and rules, never the values.
    pub fn check(&self, value: &Value) -> Result<(), Vec<Fault>> {
        if self.validator.is_valid(value) {
            return Ok(());
        }
        let faults = self.validator.iter_errors(value).take(FAULTS_MAX).map(|error| {
            Fault::new(error.instance_path().to_string(), shortened(error.masked().to_string()))
        });
        Err(faults.collect())
    }
}

/// Checks an input against the definition's schema. Pointers are under `/input`.
pub fn check_input(definition: &Definition, input: &Value) -> Result<(), Vec<Fault>> {
    let Some(schema) = &definition.input_check else {
        return Ok(());
    };
    schema.check(input).map_err(|faults| faults.into_iter().map(|fault| fault.under("/input")).collect())
}

fn shortened(mut message: String) -> String {
    if let Some((end, _)) = message.char_indices().nth(MESSAGE_CHARS_MAX) {
        message.truncate(end);
        message.push('…');
    }
    message
}
