//! `trunkline user-task`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use domain::id::ExecutionKind;
use serde_json::json;

use crate::client::{Client, api_path, id, query};
use crate::commands::{command_sent, input};
use crate::output::table;

/// Looks at and does what people have to do for executions.
#[derive(Debug, Subcommand)]
pub(crate) enum UserTaskCommand {
    /// List user tasks, newest first; open ones unless a status is given
    List(ListArgs),
    /// Show the user task of a node, with its form
    Show {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        execution: String,
        /// The node
        node: String,
    },
    /// Claim a user task, so that others of its group leave it alone
    Claim {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        execution: String,
        /// The node
        node: String,
    },
    /// Take the claim off a user task
    Release {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        execution: String,
        /// The node
        node: String,
    },
    /// Do a user task
    Complete {
        /// The execution
        #[arg(value_parser = id::<ExecutionKind>)]
        execution: String,
        /// The node
        node: String,
        /// What is submitted: JSON, @FILE, or - for standard input
        #[arg(long, short, default_value = "null")]
        output: String,
    },
}

/// Arguments of `user-task list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only of this person
    #[arg(long)]
    assignee: Option<String>,
    /// Only of this group
    #[arg(long)]
    group: Option<String>,
    /// open, completed, timed_out or cancelled
    #[arg(long)]
    status: Option<String>,
    /// Only of this tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Only of this workflow
    #[arg(long)]
    workflow: Option<String>,
    /// Only of this execution
    #[arg(long, value_name = "ID")]
    execution: Option<String>,
    /// Only what is due before this instant
    #[arg(long, value_name = "INSTANT")]
    due_before: Option<String>,
    /// How many at most
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Where the last list ended
    #[arg(long)]
    cursor: Option<String>,
}

/// What is told after a claim was made or taken off.
const CLAIM_COLUMNS: [(&str, &str); 4] =
    [("execution", "/executionId"), ("node", "/nodeId"), ("status", "/status"), ("claimed by", "/claimedBy")];

/// Runs the verb.
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
