//! `trunkline workflow`: the verbs of workflows and their arguments.

mod local;
mod simulate;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::client::{Client, api_path, query};
use crate::output;
use crate::output::out;
use simulate::SimulateArgs;

// The verbs of `trunkline workflow` and their arguments.

/// Manages workflows.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkflowCommand {
    /// Register the definitions in files (JSON or YAML)
    Push(FilesArgs),
    /// Validate definitions without a server; reports every error with its location and a suggestion
    Validate(FilesArgs),
    /// Print a definition as a Mermaid flowchart; a file needs no server
    Graph(GraphArgs),
    /// Print the JSON Schema of definitions, for editors
    Schema,
    /// Simulate a workflow with given results; nothing is stored, and the clock jumps
    Simulate(SimulateArgs),
    /// List workflows
    List(ListArgs),
    /// Show a workflow, or one version of it
    Show(ShowArgs),
    /// List the versions of a workflow
    Versions {
        /// Workflow name
        name: String,
    },
    /// Pause a workflow: queue or reject new executions
    Pause {
        /// Workflow name
        name: String,
        /// Reject new executions instead of queueing them
        #[arg(long)]
        refuse: bool,
    },
    /// Resume a workflow
    Resume {
        /// Workflow name
        name: String,
    },
}

/// Arguments of `workflow push` and `workflow validate`.
#[derive(Debug, Args)]
pub(crate) struct FilesArgs {
    /// Definition files, or directories that contain them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

/// Arguments of `workflow graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// Definition file, or name of a workflow on the server
    workflow: String,
    /// Version of the workflow on the server (default: the latest)
    #[arg(long)]
    version: Option<u32>,
}

/// Arguments of `workflow list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Maximum number of results
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Start after this cursor, from the previous page
    #[arg(long)]
    cursor: Option<String>,
}

/// Arguments of `workflow show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Workflow name
    name: String,
    /// Version (default: the latest)
    #[arg(long)]
    version: Option<u32>,
}

/// Runs the verb if it needs no server.
pub(crate) fn run_alone(command: &WorkflowCommand, as_json: bool) -> Option<Result<ExitCode>> {
    match command {
        WorkflowCommand::Validate(args) => Some(local::validate(&args.paths, as_json)),
        WorkflowCommand::Graph(args) if Path::new(&args.workflow).is_file() => {
            Some(local::graph(Path::new(&args.workflow), as_json))
        }
        WorkflowCommand::Schema => Some(Ok(local::schema())),
        _ => None,
    }
}

/// Runs the command.
pub(crate) async fn run(command: WorkflowCommand, client: &Client) -> Result<ExitCode> {
    if let Some(done) = run_alone(&command, client.json) {
        return done;
    }
    match command {
        WorkflowCommand::Push(args) => return local::push(client, &args.paths).await,
        WorkflowCommand::Graph(args) => {
            let path = format!("{}/graph", path_of(&args.workflow, args.version));
            local::print_graph(&client.get_text(&path).await?, client.json);
        }
        WorkflowCommand::List(args) => list(args, client).await?,
        WorkflowCommand::Simulate(args) => return simulate::simulate(client, args).await,
        WorkflowCommand::Show(args) => {
            output::print_json(&client.get(&path_of(&args.name, args.version)).await?);
        }
        WorkflowCommand::Versions { name } => {
            let answer = client.get(&api_path!("workflows", name, "versions")).await?;
            let columns = [("VERSION", "/version"), ("HASH", "/contentHash"), ("CREATED", "/createdAt")];
            output::print_list(client.json, &answer, &columns);
        }
        WorkflowCommand::Pause { name, refuse } => {
            let new_runs = if refuse { "refuse" } else { "queue" };
            let body = json!({ "newRuns": new_runs });
            let answer = client.post(&api_path!("workflows", name, "pause"), &body).await?;
            let then = if refuse { "new executions are rejected" } else { "new executions are queued" };
            changed(client, &answer, &format!("{name}: paused, {then}"));
        }
        WorkflowCommand::Resume { name } => {
            let answer = client.post(&api_path!("workflows", name, "resume"), &json!({})).await?;
            changed(client, &answer, &format!("{name}: resumed"));
        }
        // They need no server, and were run above.
        WorkflowCommand::Validate(_) | WorkflowCommand::Schema => {}
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(args: ListArgs, client: &Client) -> Result<()> {
    let path = query("/v1/workflows", &[("limit", Some(args.limit.to_string())), ("cursor", args.cursor)]);
    let columns = [
        ("NAME", "/name"),
        ("VERSION", "/version"),
        ("PAUSED", "/paused"),
        ("NEW EXECUTIONS", "/newRuns"),
        ("CREATED", "/createdAt"),
    ];
    output::print_list(client.json, &client.get(&path).await?, &columns);
    Ok(())
}

fn path_of(name: &str, version: Option<u32>) -> String {
    match version {
        Some(version) => api_path!("workflows", name, "versions", version),
        None => api_path!("workflows", name),
    }
}

fn changed(client: &Client, answer: &Value, line: &str) {
    if client.json {
        output::print_json(answer);
    } else {
        out!("{line}");
    }
}
