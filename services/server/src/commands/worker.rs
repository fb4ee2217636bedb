//! `trunkline worker`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use crate::client::{Client, api_path, query};
use crate::commands::find::{ListArgs, OfWorkers};

/// Lists and drains workers.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkerCommand {
    /// List workers, by default those of the last ten minutes
    List(Box<ListArgs<OfWorkers>>),
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
        WorkerCommand::List(args) => {
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
            args.print(client, "/v1/workers", &columns).await?;
        }
        WorkerCommand::Drain { id, tenant } => {
            let path = query(&api_path!("workers", id, "drain"), &[("tenant", tenant)]);
            client.post(&path, &json!({})).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
