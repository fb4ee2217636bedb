//! The verbs of `trunkline execution` and their arguments.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use domain::id::ExecutionKind;
use serde_json::{Value, json};

use super::read;
use crate::client::{Client, api_path, id};
use crate::commands::find::{ListArgs, OfExecutions};
use crate::commands::logs::{self, LogsPart};
use crate::commands::{command_sent, input};
use crate::output::{out, table};

/// Manages executions.
#[derive(Debug, Subcommand)]
pub(crate) enum ExecutionCommand {
    /// List executions, newest first
    List(Box<ListArgs<OfExecutions>>),
    /// Show an execution with its nodes and timeline
    Show {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
    },
    /// List the nodes of an execution and what they wait for
    Nodes {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        /// Include the items of each MAP node
        #[arg(long)]
        items: bool,
    },
    /// Explain what an execution waits for
    Why {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
    },
    /// Show what the handlers of its nodes logged, by time
    Logs {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        #[command(flatten)]
        part: LogsPart,
    },
    /// Cancel an execution
    Cancel {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        /// Reason, recorded in the timeline
        #[arg(long)]
        reason: Option<String>,
        /// Compensate completed nodes first
        #[arg(long)]
        compensate: bool,
    },
    /// Retry an execution from its failed nodes
    Retry {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
    },
    /// Rerun from a node, as a new execution that reuses earlier results
    Rerun {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        /// Node to rerun from; it and all nodes after it run again
        #[arg(long, value_name = "NODE")]
        from: String,
        /// New input: JSON, @FILE, or - for standard input
        #[arg(long, short)]
        input: Option<String>,
        /// If the rerun fails, also compensate the nodes whose results it reused
        #[arg(long)]
        compensate_original: bool,
    },
    /// Send a signal to an execution
    Signal {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        /// Signal name
        name: String,
        /// Payload: JSON, @FILE, or - for standard input
        #[arg(long, short, default_value = "null")]
        payload: String,
    },
}

/// Runs the command.
pub(crate) async fn run(command: ExecutionCommand, client: &Client) -> Result<ExitCode> {
    let send = async |path: &str, body: &Value| -> Result<()> {
        command_sent(client, &client.post(path, body).await?);
        Ok(())
    };
    match command {
        ExecutionCommand::List(args) => read::list(*args, client).await?,
        ExecutionCommand::Show { id } => read::show(client, &id).await?,
        ExecutionCommand::Nodes { id, items } => read::nodes(client, &id, items).await?,
        ExecutionCommand::Why { id } => read::why(client, &id).await?,
        ExecutionCommand::Logs { id, part } => {
            logs::print(client, &api_path!("executions", id, "logs"), None, part).await?;
        }
        ExecutionCommand::Cancel { id, reason, compensate } => {
            let mut body = json!({ "compensate": compensate });
            if let Some(reason) = reason {
                body["reason"] = json!(reason);
            }
            send(&api_path!("executions", id, "cancel"), &body).await?;
        }
        ExecutionCommand::Retry { id } => send(&api_path!("executions", id, "retry"), &json!({})).await?,
        ExecutionCommand::Rerun { id, from, input, compensate_original } => {
            let mut body = json!({ "fromNode": from, "compensateOriginal": compensate_original });
            if let Some(input) = input {
                body["input"] = input::json(&input)?;
            }
            rerun(client, &id, &body).await?;
        }
        ExecutionCommand::Signal { id, name, payload } => {
            let body = json!({ "payload": input::json(&payload)? });
            send(&api_path!("executions", id, "signals", name), &body).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn rerun(client: &Client, id: &str, body: &serde_json::Value) -> Result<()> {
    let created = client.post(&api_path!("executions", id, "rerun"), body).await?;
    if client.json {
        table::print_json(&created);
    } else {
        let text = |field: &str| created[field].as_str().unwrap_or_default().to_owned();
        out!("{} {}", text("id"), text("status"));
    }
    Ok(())
}
