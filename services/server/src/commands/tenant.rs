//! `trunkline tenant`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use crate::client::Client;
use crate::output::table;

/// Manages tenants.
#[derive(Debug, Subcommand)]
pub(crate) enum TenantCommand {
    /// List tenants
    List,
    /// Create a tenant
    Create {
        /// Tenant name
        name: String,
    },
}

/// Runs the command.
pub(crate) async fn run(command: TenantCommand, client: &Client) -> Result<ExitCode> {
    match command {
        TenantCommand::List => {
            table::print_list(
                client.json,
                &client.get("/v1/tenants").await?,
                &[("NAME", "/name"), ("CREATED", "/createdAt")],
            );
        }
        TenantCommand::Create { name } => {
            let answer = client.post("/v1/tenants", &json!({ "name": name })).await?;
            table::print_object(client.json, &answer, &[("name", "/name"), ("created", "/createdAt")]);
        }
    }
    Ok(ExitCode::SUCCESS)
}
