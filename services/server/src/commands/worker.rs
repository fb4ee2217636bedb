//! `trunkline worker`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use crate::client::{Client, api_path, query};
use crate::output::table;

/// Lists and drains workers.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkerCommand {
    /// List recently active workers
    List,
    /// Drain a worker: it gets no more jobs and is asked to end
    Drain {
        /// Worker ID
        id: String,
        /// Tenant that its key is bound to
        #[arg(long)]
        tenant: Option<String>,
    },
}

/// Runs the command.
pub(crate) async fn run(command: WorkerCommand, client: &Client) -> Result<ExitCode> {
    match command {
        WorkerCommand::List => {
            let columns = [
                ("ID", "/id"),
                ("KIND", "/kind"),
                ("TENANT", "/tenant"),
                ("BUILD", "/build"),
                ("JOB TYPES", "/jobTypes"),
                ("LEASED", "/leased"),
                ("DRAINING", "/draining"),
                ("LAST SEEN", "/lastSeenAt"),
            ];
            table::print_list(client.json, &client.get("/v1/workers").await?, &columns);
        }
        WorkerCommand::Drain { id, tenant } => {
            let path = query(&api_path!("workers", id, "drain"), &[("tenant", tenant)]);
            client.post(&path, &json!({})).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
