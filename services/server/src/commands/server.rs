//! `trunkline server`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::client::Client;
use crate::output::table;

/// Lists the processes of the deployment.
#[derive(Debug, Subcommand)]
pub(crate) enum ServerCommand {
    /// List the processes that showed themselves within a minute
    List,
}

/// Runs the command.
pub(crate) async fn run(command: ServerCommand, client: &Client) -> Result<ExitCode> {
    let ServerCommand::List = command;
    let columns = [
        ("ID", "/id"),
        ("VERSION", "/version"),
        ("ROLES", "/roles"),
        ("STARTED", "/startedAt"),
        ("LAST SEEN", "/lastSeenAt"),
        ("CLOCK OFFSET", "/clockOffsetMs"),
    ];
    table::print_list(client.json, &client.get("/v1/servers").await?, &columns);
    Ok(ExitCode::SUCCESS)
}
