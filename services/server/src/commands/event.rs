//! `trunkline event`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Value, json};

use crate::client::{Client, api_path};
use crate::commands::input;
use crate::output::table;

/// Sends events.
#[derive(Debug, Subcommand)]
pub(crate) enum EventCommand {
    /// Send an event that starts workflows by triggers and wakes executions that wait for it
    Send {
        /// Event name, such as order.paid
        name: String,
        /// Data: JSON, @FILE, or - for standard input (default: null)
        #[arg(long, value_name = "JSON")]
        data: Option<String>,
        /// ID of the event: a second event with the same name and ID within 24 hours is a duplicate
        #[arg(long)]
        id: Option<String>,
        /// Tenant
        #[arg(long)]
        tenant: Option<String>,
    },
}

/// Runs the command.
pub(crate) async fn run(command: EventCommand, client: &Client) -> Result<ExitCode> {
    let EventCommand::Send { name, data, id, tenant } = command;
    let mut body = json!({ "name": name });
    if let Some(data) = data {
        body["data"] = input::json(&data)?;
    }
    for (field, value) in [("id", id), ("tenant", tenant)] {
        if let Some(value) = value {
            body[field] = Value::from(value);
        }
    }
    let answer = client.post(&api_path!("events"), &body).await?;
    let columns = [("delivery", "/deliveryId"), ("deduplicated", "/deduplicated")];
    table::print_object(client.json, &answer, &columns);
    Ok(ExitCode::SUCCESS)
}
