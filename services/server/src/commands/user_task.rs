//! `trunkline user-task`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use domain::id::ExecutionKind;
use serde_json::json;

use crate::client::{Client, api_path, id, query};
use crate::commands::{command_sent, input};
use crate::output::table;

/// Manages user tasks.
#[derive(Debug, Subcommand)]
pub(crate) enum UserTaskCommand {
    /// List user tasks, newest first (default: open ones)
    List(ListArgs),
    /// Show the user task of a node, with its form
    Show {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        execution: String,
        /// Node ID
        node: String,
    },
    /// Claim a user task
    Claim {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        execution: String,
        /// Node ID
        node: String,
    },
    /// Release the claim on a user task
    Release {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        execution: String,
        /// Node ID
        node: String,
    },
    /// Complete a user task
    Complete {
        /// Execution ID
        #[arg(value_parser = id::<ExecutionKind>)]
        execution: String,
        /// Node ID
        node: String,
        /// Form data: JSON, @FILE, or - for standard input
        #[arg(long, short, default_value = "null")]
        output: String,
    },
}

/// Arguments of `user-task list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Filter by assignee
    #[arg(long)]
    assignee: Option<String>,
    /// Filter by group
    #[arg(long)]
    group: Option<String>,
    /// Status: open, completed, timed_out or cancelled
    #[arg(long)]
    status: Option<String>,
    /// Filter by tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Filter by workflow
    #[arg(long)]
    workflow: Option<String>,
    /// Filter by execution
    #[arg(long, value_name = "ID")]
    execution: Option<String>,
    /// Filter by due time: before this instant
    #[arg(long, value_name = "INSTANT")]
    due_before: Option<String>,
    /// Maximum number of results
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Start after this cursor, from the previous page
    #[arg(long)]
    cursor: Option<String>,
}

/// The message printed after a claim or a release.
const CLAIM_COLUMNS: [(&str, &str); 4] =
    [("execution", "/executionId"), ("node", "/nodeId"), ("status", "/status"), ("claimed by", "/claimedBy")];

/// Runs the command.
pub(crate) async fn run(command: UserTaskCommand, client: &Client) -> Result<ExitCode> {
    match command {
        UserTaskCommand::List(args) => list(args, client).await?,
        UserTaskCommand::Show { execution, node } => show(client, &execution, &node).await?,
        UserTaskCommand::Claim { execution, node } => {
            let task = client.post(&api_path!("user-tasks", execution, node, "claim"), &json!({})).await?;
            table::print_object(client.json, &task, &CLAIM_COLUMNS);
        }
        UserTaskCommand::Release { execution, node } => {
            let task = client.post(&api_path!("user-tasks", execution, node, "release"), &json!({})).await?;
            table::print_object(client.json, &task, &CLAIM_COLUMNS);
        }
        UserTaskCommand::Complete { execution, node, output } => {
            let body = json!({ "output": input::json(&output)? });
            let path = api_path!("executions", execution, "user-tasks", node, "complete");
            command_sent(client, &client.post(&path, &body).await?);
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(args: ListArgs, client: &Client) -> Result<()> {
    let path = query(
        "/v1/user-tasks",
        &[
            ("assignee", args.assignee),
            ("group", args.group),
            ("status", args.status),
            ("tenant", args.tenant),
            ("workflow", args.workflow),
            ("execution", args.execution),
            ("dueBefore", args.due_before),
            ("limit", Some(args.limit.to_string())),
            ("cursor", args.cursor),
        ],
    );
    let columns = [
        ("EXECUTION", "/executionId"),
        ("NODE", "/nodeId"),
        ("WORKFLOW", "/workflow"),
        ("STATUS", "/status"),
        ("ASSIGNEE", "/assignee"),
        ("GROUP", "/group"),
        ("OPENED", "/openedAt"),
        ("DUE", "/dueAt"),
    ];
    table::print_list(client.json, &client.get(&path).await?, &columns);
    Ok(())
}

async fn show(client: &Client, execution: &str, node: &str) -> Result<()> {
    let task = client.get(&api_path!("user-tasks", execution, node)).await?;
    let columns = [
        ("execution", "/executionId"),
        ("node", "/nodeId"),
        ("round", "/round"),
        ("workflow", "/workflow"),
        ("tenant", "/tenant"),
        ("status", "/status"),
        ("assignee", "/assignee"),
        ("claimed by", "/claimedBy"),
        ("group", "/group"),
        ("opened", "/openedAt"),
        ("due", "/dueAt"),
        ("handed on", "/escalatedAt"),
        ("closed", "/closedAt"),
        ("done by", "/completedBy"),
        ("input", "/input"),
        ("form", "/form"),
    ];
    table::print_object(client.json, &task, &columns);
    Ok(())
}
