//! Compiles a JSON value with `${…}` in its strings, apart from any definition: the input of a webhook's trigger.

use serde_json::Value;

use crate::error::Fault;
use crate::workflow::expression::{EXPRESSION_BYTES_MAX, Template, Variables};
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::Faults;

/// Compiles a value; every fault points into it.
pub fn compile_template(value: &Value, variables: Variables) -> Result<Template, Vec<Fault>> {
    let mut faults = Faults::default();
    let mut compiler = Compiler::new(EXPRESSION_BYTES_MAX, &mut faults);
    compiler.variables = variables;
    let template = compiler.template(value, "");
    match template {
        Some(template) if faults.is_empty() => Ok(template),
        _ => Err(faults.into_vec()),
    }
}
