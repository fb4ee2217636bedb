//! `trunkline key`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use domain::id::KeyKind;
use serde_json::{Value, json};

use crate::client::{Client, api_path, id};
use crate::output::{out, table};

/// Makes and revokes API keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key; it is shown once
    Create {
        /// What to call it
        name: String,
        /// admin, operator, client, worker or viewer
        #[arg(long, default_value = "client")]
        role: String,
        /// Bind it to this tenant
        #[arg(long)]
        tenant: Option<String>,
    },
    /// List keys
    List,
    /// Revoke a key
    Revoke {
        /// The key's id
        #[arg(value_parser = id::<KeyKind>)]
        id: String,
    },
}

/// Runs the verb.
pub(crate) async fn run(command: KeyCommand, client: &Client) -> Result<ExitCode> {
    match command {
        KeyCommand::Create { name, role, tenant } => {
            let mut body = json!({ "name": name, "role": role });
            if let Some(tenant) = tenant {
                body["tenant"] = Value::from(tenant);
            }
            let answer = client.post("/v1/api-keys", &body).await?;
            table::print_object(client.json, &answer, &[("id", "/id"), ("key", "/key")]);
        }
        KeyCommand::List => {
            let columns = [
                ("ID", "/id"),
                ("NAME", "/name"),
                ("ROLE", "/role"),
                ("TENANT", "/tenant"),
                ("PREFIX", "/prefix"),
                ("REVOKED", "/revokedAt"),
            ];
            table::print_list(client.json, &client.get("/v1/api-keys").await?, &columns);
        }
        KeyCommand::Revoke { id } => {
            client.delete(&api_path!("api-keys", id)).await?;
            if !client.json {
                out!("{id} revoked");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
