//! Simulate a workflow: from a file, or by its name on the server.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use domain::workflow::parse::Format;
use serde_json::{Map, Value, json};

use super::local::File;
use crate::client::Client;
use crate::commands::find;
use crate::output;
use crate::output::out;

/// Sends the simulation, and prints each round of each node and where the run ended or waits.
pub(super) async fn simulate(client: &Client, args: SimulateArgs) -> Result<ExitCode> {
    let mut body = if Path::new(&args.workflow).is_file() {
        json!({ "definition": definition_of(&args.workflow)? })
    } else {
        let mut body = json!({ "workflow": args.workflow });
        if let Some(version) = args.version {
            body["version"] = version.into();
        }
        body
    };
    body["input"] = find::json(&args.input)?;
    body["results"] = find::json(&args.results)?;
    body["signals"] = args.signals.iter().map(|signal| signal_of(signal)).collect::<Result<_>>()?;
    body["events"] = args.events.iter().map(|event| event_of(event)).collect::<Result<_>>()?;
    if let Some(now) = args.now {
        body["now"] = now.into();
    }
    let answer = client.post("/v1/workflows/simulate", &body).await?;
    print(client, &answer);
    Ok(ExitCode::SUCCESS)
}

/// JSON goes as it is, YAML as text: the server reads it, so that both are read in one way.
fn definition_of(path: &str) -> Result<Value> {
    let file = File::read(PathBuf::from(path))?;
    match file.format() {
        Format::Json => serde_json::from_slice(&file.text).with_context(|| format!("{path} is not JSON")),
        Format::Yaml => {
            let text = String::from_utf8(file.text).with_context(|| format!("{path} is not UTF-8"))?;
            Ok(Value::String(text))
        }
    }
}

/// A signal: `NAME` or `NAME=JSON`.
fn signal_of(text: &str) -> Result<Value> {
    named(text, "payload")
}

/// An event: `NAME` or `NAME=JSON`.
fn event_of(text: &str) -> Result<Value> {
    named(text, "data")
}

fn named(text: &str, field: &str) -> Result<Value> {
    let mut named = Map::new();
    let (name, payload) = match text.split_once('=') {
        Some((name, payload)) => (name, Some(find::json(payload)?)),
        None => (text, None),
    };
    named.insert("name".to_owned(), name.into());
    if let Some(payload) = payload {
        named.insert(field.to_owned(), payload);
    }
    Ok(Value::Object(named))
}

fn print(client: &Client, answer: &Value) {
    if client.json {
        return output::print_json(answer);
    }
    let nodes = answer["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    let columns = [
        ("NODE", "/nodeId"),
        ("STATUS", "/status"),
        ("INPUT", "/input"),
        ("OUTPUT", "/output"),
        ("ERROR", "/error/message"),
        ("FINISHED", "/finishedAt"),
    ];
    output::print_rows(nodes, &columns);
    out!();
    let columns =
        [("status", "/status"), ("time", "/now"), ("output", "/output"), ("error", "/error/message")];
    output::print_object(false, answer, &columns);
    for wait in answer["waitingFor"].as_array().into_iter().flatten() {
        let (node, awaits) = (wait["nodeId"].as_str().unwrap_or("?"), wait["awaits"].as_str().unwrap_or("?"));
        out!("waits for  {node} ({awaits}): --results '{{\"{node}\": [{{\"output\": …}}]}}'");
    }
}

/// Arguments of `workflow simulate`.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// Definition file, or name of a workflow on the server
    pub(super) workflow: String,
    /// Version of the workflow on the server (default: the latest)
    #[arg(long)]
    pub(super) version: Option<u32>,
    /// Input: JSON, @FILE, or - for standard input
    #[arg(long, default_value = "{}")]
    input: String,
    /// Results by node: JSON such as '{"charge": [{"output": {"id": 7}}]}', @FILE, or - for standard input
    #[arg(long, default_value = "{}")]
    results: String,
    /// Signal to send, as NAME or NAME=JSON; repeatable
    #[arg(long = "signal", value_name = "NAME=JSON")]
    signals: Vec<String>,
    /// Event to send, as NAME or NAME=JSON; repeatable
    #[arg(long = "event", value_name = "NAME=JSON")]
    events: Vec<String>,
    /// Start time (default: now)
    #[arg(long, value_name = "INSTANT")]
    now: Option<String>,
}
