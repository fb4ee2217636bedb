//! `trunkline execution`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::client::{Client, query};
use crate::output::table;

/// Looks at and steers executions.
#[derive(Debug, Subcommand)]
pub(crate) enum ExecutionCommand {
    /// List executions, newest first
    List(ListArgs),
    /// Show an execution with its nodes and timeline
    Show {
        /// The execution
        id: String,
    },
    /// Stop an execution
    Cancel {
        /// The execution
        id: String,
        /// Why, for the timeline
        #[arg(long)]
        reason: Option<String>,
    },
    /// Go on from the failed nodes
    Retry {
        /// The execution
        id: String,
    },
}

/// Arguments of `execution list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only of this workflow
    #[arg(long)]
    workflow: Option<String>,
    /// Only in this status
    #[arg(long)]
    status: Option<String>,
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Where the last list ended
    #[arg(long)]
    cursor: Option<String>,
}

/// Runs the verb.
pub(crate) async fn run(command: ExecutionCommand, client: &Client) -> Result<ExitCode> {
    match command {
        ExecutionCommand::List(args) => list(args, client).await?,
        ExecutionCommand::Show { id } => show(client, &id).await?,
        ExecutionCommand::Cancel { id, reason } => {
            let body = reason.map_or_else(|| json!({}), |reason| json!({ "reason": reason }));
            command_sent(client, &client.post(&format!("/v1/executions/{id}/cancel"), &body).await?);
        }
        ExecutionCommand::Retry { id } => {
            command_sent(client, &client.post(&format!("/v1/executions/{id}/retry"), &json!({})).await?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(args: ListArgs, client: &Client) -> Result<()> {
    let path = query(
        "/v1/executions",
        &[
            ("workflow", args.workflow),
            ("status", args.status),
            ("tenant", args.tenant),
            ("limit", Some(args.limit.to_string())),
            ("cursor", args.cursor),
        ],
    );
    let columns = [
        ("ID", "/id"),
        ("WORKFLOW", "/workflow"),
        ("VERSION", "/version"),
        ("STATUS", "/status"),
        ("TENANT", "/tenant"),
        ("CREATED", "/createdAt"),
        ("COMPLETED", "/completedAt"),
    ];
    table::print_list(client.json, &client.get(&path).await?, &columns);
    Ok(())
}

async fn show(client: &Client, id: &str) -> Result<()> {
    let mut execution = client.get(&format!("/v1/executions/{id}")).await?;
    let nodes = client.get(&format!("/v1/executions/{id}/nodes")).await?;
    let events = client.get(&format!("/v1/executions/{id}/events?limit=500")).await?;
    if client.json {
        execution["nodes"] = nodes["items"].clone();
        execution["events"] = events["items"].clone();
        table::print_json(&execution);
        return Ok(());
    }
    let columns = [
        ("id", "/id"),
        ("workflow", "/workflow"),
        ("version", "/version"),
        ("status", "/status"),
        ("tenant", "/tenant"),
        ("created", "/createdAt"),
        ("started", "/startedAt"),
        ("completed", "/completedAt"),
        ("input", "/input"),
        ("output", "/output"),
        ("error", "/error/message"),
    ];
    table::print_object(false, &execution, &columns);
    println!("\nNodes");
    let columns = [
        ("NODE", "/nodeId"),
        ("TYPE", "/type"),
        ("STATUS", "/status"),
        ("ATTEMPTS", "/attempts"),
        ("STARTED", "/startedAt"),
        ("FINISHED", "/finishedAt"),
        ("ERROR", "/error/message"),
    ];
    table::print_rows(items(&nodes), &columns);
    println!("\nTimeline");
    table::print_rows(
        items(&events),
        &[("AT", "/at"), ("EVENT", "/kind"), ("NODE", "/nodeId"), ("DETAIL", "/detail")],
    );
    Ok(())
}

fn items(answer: &Value) -> &[Value] {
    answer["items"].as_array().map_or(&[], Vec::as_slice)
}

fn command_sent(client: &Client, answer: &Value) {
    if client.json {
        table::print_json(answer);
    } else {
        println!("sent (command {})", answer["commandPosition"]);
    }
}
