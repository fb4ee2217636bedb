//! What needs no server: check definitions, draw them, print the schema.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use domain::error::Fault;
use domain::workflow::graph_text::mermaid;
use domain::workflow::parse::{DefinitionLimits, Format, Parsed, parse};
use domain::workflow::schema::json_schema;
use serde_json::{Value, json};

use crate::client::Client;
use crate::output;
use crate::output::{note, out};

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
        output::print_json(&Value::Array(answers));
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
        output::print_json(&json!({ "mermaid": chart }));
    } else {
        crate::output::text(chart);
    }
}

/// Prints the JSON Schema of definitions.
pub(super) fn schema() -> ExitCode {
    output::print_json(&json_schema());
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
    let count = if faults.len() == 1 { "1 error".to_owned() } else { format!("{} errors", faults.len()) };
    note!("{}: {count}", path.display());
    for fault in faults {
        let pointer =
            if fault.pointer.is_empty() { "(the whole definition)" } else { fault.pointer.as_str() };
        note!("  {pointer}: {}", fault.message);
    }
}

// Definition files on the command line.

/// A definition as it stands in a file.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) text: Vec<u8>,
}

impl File {
    /// Reads a file.
    pub(super) fn read(path: PathBuf) -> Result<Self> {
        let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self { path, text })
    }

    /// How it is written, by its name.
    pub(super) fn format(&self) -> Format {
        match self.path.extension().and_then(|extension| extension.to_str()) {
            Some("yaml" | "yml") => Format::Yaml,
            _ => Format::Json,
        }
    }

    /// What it is sent as.
    pub(super) fn content_type(&self) -> &'static str {
        match self.format() {
            Format::Yaml => "application/yaml",
            Format::Json => "application/json",
        }
    }
}

/// The files themselves, and the `*.workflow.{json,yaml,yml}` and `workflow.{json,yaml,yml}` files of directories.
pub(super) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut found: Vec<PathBuf> = std::fs::read_dir(path)
            .with_context(|| format!("cannot read {}", path.display()))?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|file| is_workflow_file(file))
            .collect();
        anyhow::ensure!(
            !found.is_empty(),
            "{} contains no workflow.json or *.workflow.json (or .yaml)",
            path.display()
        );
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

fn is_workflow_file(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    [".json", ".yaml", ".yml"].iter().any(|end| {
        name.strip_suffix(end).is_some_and(|stem| stem == "workflow" || stem.ends_with(".workflow"))
    })
}

// Register the definitions in files.

/// Sends every file; goes on after one that is refused, so that one run shows every fault.
pub(super) async fn push(client: &Client, paths: &[PathBuf]) -> Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    let mut answers = Vec::new();
    for path in files(paths)? {
        let file = File::read(path)?;
        let (shown, content_type) = (file.path.display().to_string(), file.content_type());
        match client.post_bytes("/v1/workflows", file.text, content_type).await {
            Ok((_, answer)) if client.json => answers.push(answer),
            Ok((status, answer)) => out!("{shown}: {}", summary(status, &answer)),
            Err(error) => {
                note!("{shown}: {error}");
                code = ExitCode::FAILURE;
            }
        }
    }
    if client.json {
        output::print_json(&Value::Array(answers));
    }
    Ok(code)
}

/// 201 is a new version, 200 the same content again.
fn summary(status: u16, answer: &Value) -> String {
    let name = answer["name"].as_str().unwrap_or("?");
    let version = &answer["version"];
    if status == 201 {
        format!("{name} version {version} registered")
    } else {
        format!("{name} version {version} is already registered")
    }
}
