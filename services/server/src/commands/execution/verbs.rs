//! The verbs of `trunkline execution` and their arguments.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use domain::id::ExecutionKind;
use serde_json::{Value, json};

use super::read;
use crate::client::{Client, api_path, id};
use crate::commands::{command_sent, input};
use crate::output::{out, table};

/// Looks at and steers executions.
#[derive(Debug, Subcommand)]
pub(crate) enum ExecutionCommand {
    /// List executions, newest first
    List(ListArgs),
    /// Show an execution with its nodes and timeline
    Show {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
    },
    /// List the nodes of an execution, and what those that wait wait for
    Nodes {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        /// List the items of each MAP too
        #[arg(long)]
        items: bool,
    },
    /// Say which node waits for what
    Why {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
    },
    /// Stop an execution
    Cancel {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        /// Why, for the timeline
        #[arg(long)]
        reason: Option<String>,
        /// Undo first what completed
        #[arg(long)]
        compensate: bool,
    },
    /// Go on from the failed nodes
    Retry {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
    },
    /// Run again from a chosen node, as another execution that takes over the results before it
    Rerun {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        /// The node; it and all that come after it start again
        #[arg(long, value_name = "NODE")]
        from: String,
        /// Another input: JSON, @FILE, or - for standard input
        #[arg(long, short)]
        input: Option<String>,
        /// If the rerun fails, undo what it took over as well
        #[arg(long)]
        compensate_original: bool,
    },
    /// Send a signal
    Signal {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        /// The signal's name
        name: String,
        /// What it carries: JSON, @FILE, or - for standard input
        #[arg(long, short, default_value = "null")]
        payload: String,
    },
}

/// Arguments of `execution list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only of this workflow
    #[arg(long)]
    pub(super) workflow: Option<String>,
    /// Only in this status
    #[arg(long)]
    pub(super) status: Option<String>,
    /// Only of this tenant
    #[arg(long)]
    pub(super) tenant: Option<String>,
    /// Only the children of this execution
    #[arg(long, value_name = "ID")]
    pub(super) parent: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 50)]
    pub(super) limit: u32,
    /// Where the last list ended
    #[arg(long)]
    pub(super) cursor: Option<String>,
}

/// Runs the verb.
pub(crate) async fn run(command: ExecutionCommand, client: &Client) -> Result<ExitCode> {
    let send = async |path: &str, body: &Value| -> Result<()> {
        command_sent(client, &client.post(path, body).await?);
        Ok(())
    };
    match command {
        ExecutionCommand::List(args) => read::list(args, client).await?,
        ExecutionCommand::Show { id } => read::show(client, &id).await?,
        ExecutionCommand::Nodes { id, items } => read::nodes(client, &id, items).await?,
        ExecutionCommand::Why { id } => read::why(client, &id).await?,
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
