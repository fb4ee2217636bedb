//! The JSON Schemas that a definition holds: of its input, and of what a person submits.

use serde_json::Value;

use crate::workflow::expression::InputSchema;
use crate::workflow::parse::fields::{Faults, Fields};

/// Checks and compiles the schema at `pointer`.
pub(super) fn read_schema(schema: &Value, pointer: &str, faults: &mut Faults) -> Option<InputSchema> {
    // A bare true or false is a schema as well, but here it is more likely a slip.
    Fields::of(schema, pointer, faults)?;
    let compiled = if faults.is_stored() {
        InputSchema::compile_stored(schema)
    } else {
        InputSchema::compile_counted(schema, &mut faults.patterns)
    };
    match compiled {
        Ok(compiled) => Some(compiled),
        Err(found) => {
            for fault in found {
                let fault = fault.under(pointer);
                faults.add(fault.pointer, fault.message);
            }
            None
        }
    }
}
