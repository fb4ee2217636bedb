//! `trunkline worker`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::client::Client;
use crate::output::table;

/// Lists workers.
#[derive(Debug, Subcommand)]
pub(crate) enum WorkerCommand {
    /// List recently active workers
    List,
}

/// Runs the command.
pub(crate) async fn run(command: WorkerCommand, client: &Client) -> Result<ExitCode> {
    let WorkerCommand::List = command;
    let columns = [
        ("ID", "/id"),
        ("KIND", "/kind"),
        ("TENANT", "/tenant"),
        ("JOB TYPES", "/jobTypes"),
        ("LEASED", "/leased"),
        ("LAST SEEN", "/lastSeenAt"),
    ];
    table::print_list(client.json, &client.get("/v1/workers").await?, &columns);
    Ok(ExitCode::SUCCESS)
}
