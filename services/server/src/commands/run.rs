//! `trunkline run NAME --input … --wait`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path};
use crate::commands::choices::{priorities, unique_policies};
use crate::commands::find;
use crate::output;
use crate::output::{Exit, note, out, shown};

/// Wait of one request; the command repeats it until its own timeout. Short, so that the progress bar moves.
const WAIT_PER_REQUEST: &str = "1s";

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Workflow name
    name: String,
    /// Input: JSON, @FILE, or - for standard input
    #[arg(long, short, default_value = "{}")]
    input: String,
    /// Version (default: the latest)
    #[arg(long)]
    version: Option<u32>,
    /// Priority
    #[arg(long, value_parser = priorities())]
    priority: Option<String>,
    /// Tenant, for keys that are not bound to one
    #[arg(long)]
    tenant: Option<String>,
    /// Earliest start time
    #[arg(long, value_name = "INSTANT", conflicts_with = "delay")]
    run_at: Option<String>,
    /// Delay before the start, such as 5m
    #[arg(long, value_name = "DURATION")]
    delay: Option<String>,
    /// Longest wait for the start, such as 10m; after that the execution is cancelled
    #[arg(long, value_name = "DURATION")]
    expires_in: Option<String>,
    /// Correlation ID
    #[arg(long)]
    correlation_id: Option<String>,
    /// Unique key of the execution while it is open
    #[arg(long, value_name = "KEY")]
    unique_key: Option<String>,
    /// What happens while an execution with the key is open
    #[arg(long, value_name = "POLICY", requires = "unique_key", value_parser = unique_policies())]
    unique_policy: Option<String>,
    /// Signal for the open execution with the key, or for the new one: NAME=JSON
    #[arg(long, value_name = "NAME=JSON", requires = "unique_key")]
    signal: Option<String>,
    /// Wait until the execution ends and print its output
    #[arg(long, short)]
    wait: bool,
    /// Maximum wait, in seconds
    #[arg(long, default_value_t = 600)]
    timeout_secs: u64,
}

/// Runs the verb. See [`Exit`] for how it ends where the execution does not complete in time.
pub(crate) async fn run(args: RunArgs, client: &Client) -> Result<ExitCode> {
    let mut body = Map::new();
    body.insert("workflow".into(), json!(args.name));
    body.insert("input".into(), find::json(&args.input)?);
    let optional = [
        ("priority", &args.priority),
        ("tenant", &args.tenant),
        ("runAt", &args.run_at),
        ("delay", &args.delay),
        ("expiresIn", &args.expires_in),
        ("correlationId", &args.correlation_id),
        ("uniqueKey", &args.unique_key),
        ("uniquePolicy", &args.unique_policy),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            body.insert(name.into(), json!(value));
        }
    }
    if let Some(version) = args.version {
        body.insert("version".into(), json!(version));
    }
    if let Some(signal) = &args.signal {
        let (name, payload) = signal.split_once('=').unwrap_or((signal.as_str(), "null"));
        body.insert("signal".into(), json!({ "name": name, "payload": find::json(payload)? }));
    }
    let created = client.post("/v1/executions", &Value::Object(body)).await?;
    let Some(id) = created["id"].as_str() else { bail!("the server's response has no ID: {created}") };
    if !args.wait {
        if client.json {
            output::print_json(&created);
        } else {
            out!("{id} {}", created["status"].as_str().unwrap_or_default());
        }
        return Ok(ExitCode::SUCCESS);
    }
    wait(client, id, Duration::from_secs(args.timeout_secs)).await
}

async fn wait(client: &Client, id: &str, timeout: Duration) -> Result<ExitCode> {
    let bar = output::bar(0, "nodes");
    let started = Instant::now();
    let execution = loop {
        let execution = client
            .get(&format!("{}?wait=true&timeout={WAIT_PER_REQUEST}", api_path!("executions", id)))
            .await?;
        let status = execution["status"].as_str().unwrap_or_default();
        if matches!(status, "COMPLETED" | "FAILED" | "CANCELLED") || started.elapsed() >= timeout {
            break execution;
        }
        show_progress(&bar, &client.get(&api_path!("executions", id, "nodes")).await?);
    };
    bar.finish_and_clear();
    if client.json {
        output::print_json(&execution);
    }
    match execution["status"].as_str() {
        Some("COMPLETED") => {
            if !client.json {
                note!("{id} COMPLETED in {:.1}s", started.elapsed().as_secs_f64());
                output::print_json(&execution["output"]);
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(status @ ("FAILED" | "CANCELLED")) => {
            note!(
                "{id} {status}: {}",
                shown(execution["error"]["message"].as_str().unwrap_or("no error was recorded"))
            );
            Ok(Exit::Failed.into())
        }
        status => {
            note!("{id} is still {} (see `trunkline execution show {id}`)", status.unwrap_or("?"));
            Ok(Exit::Unfinished.into())
        }
    }
}

/// How many nodes are settled, of all of the definition.
fn show_progress(bar: &ProgressBar, nodes: &Value) {
    let nodes = nodes["items"].as_array().map_or(&[][..], Vec::as_slice);
    let is_settled = |node: &&Value| {
        matches!(node["status"].as_str(), Some("COMPLETED" | "SKIPPED" | "FAILED" | "CANCELLED"))
    };
    bar.set_length(nodes.len() as u64);
    bar.set_position(nodes.iter().filter(is_settled).count() as u64);
}
