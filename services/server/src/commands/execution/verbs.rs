//! The verbs of `trunkline execution` and their arguments.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use domain::id::ExecutionKind;
use serde_json::{Map, Value, json};

use super::read;
use crate::client::{Client, api_path, id};
use crate::commands::bulk::{BulkArgs, reason_field};
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
    /// Cancel an execution, or many
    Cancel(Box<CancelArgs>),
    /// Retry an execution, or many, from the failed nodes
    Retry(Box<RetryArgs>),
    /// Rerun an execution, or many, from a node, as a new execution that reuses earlier results
    Rerun(Box<RerunArgs>),
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
    /// Show what became of a command: pending, applied, or refused and why
    Command {
        /// Position, as printed when the command was sent
        position: u64,
    },
}

/// Arguments of `execution cancel`.
#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    /// Execution ID; omit it to choose executions by filter
    #[arg(value_parser = id::<ExecutionKind>)]
    id: Option<String>,
    /// Reason, recorded in the timeline
    #[arg(long)]
    reason: Option<String>,
    /// Compensate completed nodes first
    #[arg(long)]
    compensate: bool,
    #[command(flatten)]
    bulk: BulkArgs<OfExecutions>,
}

/// Arguments of `execution retry`.
#[derive(Debug, Args)]
pub(crate) struct RetryArgs {
    /// Execution ID; omit it to choose executions by filter
    #[arg(value_parser = id::<ExecutionKind>)]
    id: Option<String>,
    /// Reason, kept with the operation
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    bulk: BulkArgs<OfExecutions>,
}

/// Arguments of `execution rerun`.
#[derive(Debug, Args)]
pub(crate) struct RerunArgs {
    /// Execution ID; omit it to choose executions by filter
    #[arg(value_parser = id::<ExecutionKind>)]
    id: Option<String>,
    /// Node to rerun from; it and all nodes after it run again
    #[arg(long, value_name = "NODE")]
    from: String,
    /// New input: JSON, @FILE, or - for standard input
    #[arg(long, short)]
    input: Option<String>,
    /// If the rerun fails, also compensate the nodes whose results it reused
    #[arg(long)]
    compensate_original: bool,
    /// Reason, kept with the operation
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    bulk: BulkArgs<OfExecutions>,
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
        ExecutionCommand::Cancel(args) => {
            let mut body = reason_field(args.reason);
            body.insert("compensate".into(), json!(args.compensate));
            let Some(id) = &args.id else {
                return args.bulk.run(client, "/v1/executions/cancel", "executions", body).await;
            };
            send(&api_path!("executions", id, "cancel"), &Value::Object(body)).await?;
        }
        ExecutionCommand::Retry(args) => {
            let Some(id) = &args.id else {
                let fields = reason_field(args.reason);
                return args.bulk.run(client, "/v1/executions/retry", "executions", fields).await;
            };
            send(&api_path!("executions", id, "retry"), &json!({})).await?;
        }
        ExecutionCommand::Rerun(args) => {
            let mut body = Map::from_iter([("fromNode".to_owned(), json!(args.from))]);
            if let Some(input) = &args.input {
                body.insert("input".into(), input::json(input)?);
            }
            let Some(id) = &args.id else {
                body.extend(reason_field(args.reason));
                return args.bulk.run(client, "/v1/executions/rerun", "executions", body).await;
            };
            body.insert("compensateOriginal".into(), json!(args.compensate_original));
            rerun(client, id, &Value::Object(body)).await?;
        }
        ExecutionCommand::Signal { id, name, payload } => {
            let body = json!({ "payload": input::json(&payload)? });
            send(&api_path!("executions", id, "signals", name), &body).await?;
        }
        ExecutionCommand::Command { position } => read::command(client, position).await?,
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
