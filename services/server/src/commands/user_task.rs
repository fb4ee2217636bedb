//! `trunkline user-task`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use domain::id::ExecutionKind;
use serde_json::json;

use crate::client::{Client, api_path, id};
use crate::commands::find::{ListArgs, OfUserTasks};
use crate::commands::{command_sent, find};
use crate::output;

/// Manages user tasks.
#[derive(Debug, Subcommand)]
pub(crate) enum UserTaskCommand {
    /// List user tasks, newest first (default: open ones)
    List(Box<ListArgs<OfUserTasks>>),
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

/// Columns of a list of user tasks.
const COLUMNS: [output::Column; 8] = [
    ("EXECUTION", "/executionId"),
    ("NODE", "/nodeId"),
    ("WORKFLOW", "/workflow"),
    ("STATUS", "/status"),
    ("ASSIGNEE", "/assignee"),
    ("GROUP", "/group"),
    ("OPENED", "/openedAt"),
    ("DUE", "/dueAt"),
];

/// The message printed after a claim or a release.
const CLAIM_COLUMNS: [(&str, &str); 4] =
    [("execution", "/executionId"), ("node", "/nodeId"), ("status", "/status"), ("claimed by", "/claimedBy")];

/// Runs the command.
pub(crate) async fn run(command: UserTaskCommand, client: &Client) -> Result<ExitCode> {
    match command {
        UserTaskCommand::List(args) => args.print(client, "/v1/user-tasks", &COLUMNS).await?,
        UserTaskCommand::Show { execution, node } => show(client, &execution, &node).await?,
        UserTaskCommand::Claim { execution, node } => {
            let task = client.post(&api_path!("user-tasks", execution, node, "claim"), &json!({})).await?;
            output::print_object(client.json, &task, &CLAIM_COLUMNS);
        }
        UserTaskCommand::Release { execution, node } => {
            let task = client.post(&api_path!("user-tasks", execution, node, "release"), &json!({})).await?;
            output::print_object(client.json, &task, &CLAIM_COLUMNS);
        }
        UserTaskCommand::Complete { execution, node, output } => {
            let body = json!({ "output": find::json(&output)? });
            let path = api_path!("executions", execution, "user-tasks", node, "complete");
            command_sent(client, &client.post(&path, &body).await?);
        }
    }
    Ok(ExitCode::SUCCESS)
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
        ("escalated", "/escalatedAt"),
        ("closed", "/closedAt"),
        ("done by", "/completedBy"),
        ("input", "/input"),
        ("form", "/form"),
    ];
    output::print_object(client.json, &task, &columns);
    Ok(())
}
