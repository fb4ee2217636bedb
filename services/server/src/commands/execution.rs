//! `trunkline execution`: the verbs of executions and their arguments.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use domain::id::ExecutionKind;
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, id, query};
use crate::commands::batches::{BulkArgs, reason_field};
use crate::commands::command_sent;
use crate::commands::find::{self, ListArgs, OfExecutions};
use crate::commands::logs::{self, LogsPart};
use crate::output;
use crate::output::{Column, out};

// The verbs of `trunkline execution` and their arguments.

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
    /// List the settled items of a MAP node, in the order in which they settled
    Items {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
        /// Node ID
        node: String,
        /// Maximum number of results
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Start after this cursor, from the previous page
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Explain what an execution waits for
    Why {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        id: String,
    },
    /// Show the log lines of the nodes of an execution, by time
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
    /// Show the status of a command: pending, applied, or refused with the reason
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
        ExecutionCommand::List(args) => list(*args, client).await?,
        ExecutionCommand::Show { id } => show(client, &id).await?,
        ExecutionCommand::Nodes { id, items } => nodes(client, &id, items).await?,
        ExecutionCommand::Items { id, node, limit, cursor } => {
            let parameters = [("limit", Some(limit.to_string())), ("cursor", cursor)];
            let path = query(&api_path!("executions", id, "nodes", node, "items"), &parameters);
            output::print_list(client.json, &client.get(&path).await?, &NODE_COLUMNS);
        }
        ExecutionCommand::Why { id } => why(client, &id).await?,
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
                body.insert("input".into(), find::json(input)?);
            }
            let Some(id) = &args.id else {
                body.extend(reason_field(args.reason));
                return args.bulk.run(client, "/v1/executions/rerun", "executions", body).await;
            };
            body.insert("compensateOriginal".into(), json!(args.compensate_original));
            rerun(client, id, &Value::Object(body)).await?;
        }
        ExecutionCommand::Signal { id, name, payload } => {
            let body = json!({ "payload": find::json(&payload)? });
            send(&api_path!("executions", id, "signals", name), &body).await?;
        }
        ExecutionCommand::Command { position } => self::command(client, position).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn rerun(client: &Client, id: &str, body: &serde_json::Value) -> Result<()> {
    let created = client.post(&api_path!("executions", id, "rerun"), body).await?;
    if client.json {
        output::print_json(&created);
    } else {
        let text = |field: &str| created[field].as_str().unwrap_or_default().to_owned();
        out!("{} {}", text("id"), text("status"));
    }
    Ok(())
}

// Look at executions.

/// Of nodes.
const NODE_COLUMNS: [Column; 8] = [
    ("NODE", "/nodeId"),
    ("TYPE", "/type"),
    ("STATUS", "/status"),
    ("ATTEMPTS", "/attempts"),
    ("STARTED", "/startedAt"),
    ("FINISHED", "/finishedAt"),
    ("WAITS FOR", "/waitsFor/detail"),
    ("ERROR", "/error/message"),
];

/// Lists executions.
async fn list(args: ListArgs<OfExecutions>, client: &Client) -> Result<()> {
    let columns = [
        ("ID", "/id"),
        ("WORKFLOW", "/workflow"),
        ("VERSION", "/version"),
        ("STATUS", "/status"),
        ("TENANT", "/tenant"),
        ("CREATED", "/createdAt"),
        ("COMPLETED", "/completedAt"),
    ];
    args.print(client, "/v1/executions", &columns).await
}

/// Shows an execution with its nodes and timeline.
async fn show(client: &Client, id: &str) -> Result<()> {
    let mut execution = client.get(&api_path!("executions", id)).await?;
    let nodes = client.get(&api_path!("executions", id, "nodes")).await?;
    let events = client.get(&format!("{}?limit=500", api_path!("executions", id, "events"))).await?;
    if client.json {
        execution["nodes"] = nodes["items"].clone();
        execution["events"] = events["items"].clone();
        output::print_json(&execution);
        return Ok(());
    }
    let columns = [
        ("id", "/id"),
        ("workflow", "/workflow"),
        ("version", "/version"),
        ("status", "/status"),
        ("tenant", "/tenant"),
        ("started by", "/trigger/kind"),
        ("parent", "/parent/executionId"),
        ("created", "/createdAt"),
        ("started", "/startedAt"),
        ("completed", "/completedAt"),
        ("input", "/input"),
        ("output", "/output"),
        ("error", "/error/message"),
    ];
    output::print_object(false, &execution, &columns);
    out!("\nNodes");
    let mut nodes = items(&nodes).to_vec();
    let mut columns = NODE_COLUMNS.to_vec();
    if put_places(client, &execution, &mut nodes).await {
        columns.push(("SOURCE", "/source"));
    }
    output::print_rows(&nodes, &columns);
    out!("\nTimeline");
    output::print_rows(
        items(&events),
        &[("AT", "/at"), ("EVENT", "/kind"), ("NODE", "/nodeId"), ("DETAIL", "/detail")],
    );
    Ok(())
}

/// Puts beside each node where it is in the source of its workflow. Answers whether that is known of any.
async fn put_places(client: &Client, execution: &Value, nodes: &mut [Value]) -> bool {
    let (name, version) =
        (execution["workflow"].as_str().unwrap_or_default(), execution["version"].to_string());
    let tenant = execution["tenant"].as_str().map(str::to_owned);
    let path = query(&api_path!("workflows", name, "versions", version), &[("tenant", tenant)]);
    // Only more to read: whoever may not see the workflow sees its execution as before.
    let Ok(version) = client.get(&path).await else { return false };
    let mut is_known = false;
    for node in nodes {
        let place = &version["source"][node["nodeId"].as_str().unwrap_or_default()];
        if let (Some(file), Some(line)) = (place["file"].as_str(), place["line"].as_u64()) {
            node["source"] = Value::from(format!("{file}:{line}"));
            is_known = true;
        }
    }
    is_known
}

/// Lists the nodes of an execution.
async fn nodes(client: &Client, id: &str, with_items: bool) -> Result<()> {
    let nodes = client.get(&format!("{}?items={with_items}", api_path!("executions", id, "nodes"))).await?;
    output::print_list(client.json, &nodes, &NODE_COLUMNS);
    if client.json {
        return Ok(());
    }
    for node in items(&nodes) {
        let name = node["nodeId"].as_str().unwrap_or_default();
        if let Some(url) = node["callbackUrl"].as_str() {
            out!("{name} accepts requests at {url}");
        }
        if let Some(map) = node["mapItems"].as_object() {
            out!(
                "{name}: {} items, {} started, {} completed",
                map["total"],
                map["started"],
                map["completed"]
            );
        }
    }
    Ok(())
}

/// Explains what an execution waits for.
async fn why(client: &Client, id: &str) -> Result<()> {
    let why = client.get(&api_path!("executions", id, "why")).await?;
    let columns = [("status", "/status"), ("reason", "/reason"), ("detail", "/detail")];
    output::print_object(client.json, &why, &columns);
    let waits = why["waitsFor"].as_array().map_or(&[][..], Vec::as_slice);
    if !client.json && !waits.is_empty() {
        out!();
        let columns = [
            ("NODE", "/nodeId"),
            ("TYPE", "/type"),
            ("WAITS FOR", "/reason"),
            ("UNTIL", "/until"),
            ("DETAIL", "/detail"),
        ];
        output::print_rows(waits, &columns);
    }
    Ok(())
}

fn items(answer: &Value) -> &[Value] {
    answer["items"].as_array().map_or(&[], Vec::as_slice)
}

/// Shows what became of a command.
async fn command(client: &Client, position: u64) -> Result<()> {
    let command = client.get(&api_path!("commands", position)).await?;
    let columns = [
        ("position", "/position"),
        ("execution", "/executionId"),
        ("intent", "/intent"),
        ("status", "/status"),
        ("reason", "/reason"),
        ("step", "/step"),
    ];
    output::print_object(client.json, &command, &columns);
    Ok(())
}
