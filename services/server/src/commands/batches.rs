//! `trunkline batch`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use domain::id::BatchKind;
use serde_json::json;

use super::batch::COLUMNS;
use crate::client::{Client, api_path, id, query};
use crate::commands::find::{ListArgs, OfBatches};
use crate::output::table;

/// Manages bulk operations.
#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// List bulk operations, newest first
    List(Box<ListArgs<OfBatches>>),
    /// Show a bulk operation
    Show {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
    },
    /// List what became of the objects of a bulk operation
    Items {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
        /// Filter: done, failed, skipped (several: with commas)
        #[arg(long)]
        outcome: Option<String>,
        /// Maximum number of results
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Start after this cursor, from the previous page
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Pause a bulk operation
    Pause {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
    },
    /// Resume a paused bulk operation
    Resume {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
    },
    /// Abort a bulk operation; what is changed stays changed
    Abort {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
    },
}

/// Runs the command.
pub(crate) async fn run(command: BatchCommand, client: &Client) -> Result<ExitCode> {
    match command {
        BatchCommand::List(args) => {
            let columns = [
                ("ID", "/id"),
                ("KIND", "/kind"),
                ("STATUS", "/status"),
                ("TOTAL", "/total"),
                ("DONE", "/done"),
                ("FAILED", "/failed"),
                ("ACTOR", "/actor"),
                ("CREATED", "/createdAt"),
            ];
            args.print(client, "/v1/batches", &columns).await?;
        }
        BatchCommand::Show { id } => {
            table::print_object(client.json, &client.get(&api_path!("batches", id)).await?, &COLUMNS);
        }
        BatchCommand::Items { id, outcome, limit, cursor } => {
            let parameters = [("outcome", outcome), ("limit", Some(limit.to_string())), ("cursor", cursor)];
            let columns = [
                ("ID", "/id"),
                ("OUTCOME", "/outcome"),
                ("RESULT", "/resultId"),
                ("AT", "/at"),
                ("ERROR", "/error"),
            ];
            let path = query(&api_path!("batches", id, "items"), &parameters);
            table::print_list(client.json, &client.get(&path).await?, &columns);
        }
        BatchCommand::Pause { id } => turn(client, &id, "pause").await?,
        BatchCommand::Resume { id } => turn(client, &id, "resume").await?,
        BatchCommand::Abort { id } => turn(client, &id, "abort").await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn turn(client: &Client, id: &str, verb: &str) -> Result<()> {
    let answer = client.post(&api_path!("batches", id, verb), &json!({})).await?;
    table::print_object(client.json, &answer, &COLUMNS);
    Ok(())
}
