//! What needs no server: check definitions, draw them, print the schema.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use domain::error::Fault;
use domain::workflow::graph_text::mermaid;
use domain::workflow::parse::{DefinitionLimits, Parsed, parse};
use domain::workflow::schema::json_schema;
use serde_json::{Value, json};

use super::files::{File, files};
use crate::output::{note, out, table};

/// Checks every file, and goes on after one that has faults, so that one run shows all of them. Exits with 1 if there
/// are any.
pub(super) fn validate(paths: &[PathBuf], as_json: bool) -> Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let mut answers = Vec::new();
    for path in files(paths)? {
        let file = File::read(path)?;
        let checked = check(&file);
        if checked.is_err() {
            code = ExitCode::FAILURE;
        }
        let shown = file.path.display();
        match (checked, as_json) {
            (Ok(parsed), true) => answers.push(json!({
                "file": shown.to_string(), "valid": true, "name": parsed.definition.name,
                "version": parsed.definition.version, "contentHash": parsed.content_hash,
            })),
            (Ok(parsed), false) => {
                out!("{shown}: {} version {} is valid", parsed.definition.name, parsed.definition.version);
            }
            (Err(faults), true) => answers.push(
                json!({"file": shown.to_string(), "valid": false, "errors": faults.iter().map(fault_json).collect::<Vec<_>>()}),
            ),
            (Err(faults), false) => print_faults(&file.path, &faults),
        }
    }
    if as_json {
        table::print_json(&Value::Array(answers));
    }
    Ok(code)
}

/// Draws the definition in a file.
pub(super) fn graph(path: &Path, as_json: bool) -> Result<ExitCode> {
    let file = File::read(path.to_owned())?;
    match check(&file) {
        Ok(parsed) => print_graph(&mermaid(&parsed.definition), as_json),
        Err(faults) => {
            print_faults(path, &faults);
            bail!("{} contains no valid workflow definition", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a drawn definition.
pub(super) fn print_graph(chart: &str, as_json: bool) {
    if as_json {
        table::print_json(&json!({ "mermaid": chart }));
    } else {
        crate::output::text(chart);
    }
}

/// Prints the JSON Schema of definitions.
pub(super) fn schema() -> ExitCode {
    table::print_json(&json_schema());
    ExitCode::SUCCESS
}

/// The limits are those of a server that has none of its own.
fn check(file: &File) -> Result<Parsed, Vec<Fault>> {
    parse(&file.text, file.format(), &DefinitionLimits::default())
}

fn fault_json(fault: &Fault) -> Value {
    json!({ "pointer": fault.pointer, "message": fault.message })
}

fn print_faults(path: &Path, faults: &[Fault]) {
    let count = if faults.len() == 1 { "1 fault".to_owned() } else { format!("{} faults", faults.len()) };
    note!("{}: {count}", path.display());
    for fault in faults {
        let pointer = if fault.pointer.is_empty() { "(the whole)" } else { fault.pointer.as_str() };
        note!("  {pointer}: {}", fault.message);
    }
}
