//! `trunkline secret`.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::client::{Client, api_path};
use crate::commands::find;
use crate::output;
use crate::output::out;

/// Manages secrets that HTTP nodes send in request headers.
#[derive(Debug, Subcommand)]
pub(crate) enum SecretCommand {
    /// List secrets by name, without their values
    List {
        /// Tenant
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Store a secret, replacing one of the same name
    Put {
        /// Secret name
        name: String,
        /// Tenant
        #[arg(long, default_value = "default")]
        tenant: String,
        /// Host that may receive the secret, such as api.example.com or '*.example.com'
        #[arg(long = "host", value_name = "HOST", required = true)]
        hosts: Vec<String>,
        /// Value: @FILE, or - for standard input; literal text stays in the shell history
        #[arg(long, default_value = "-", conflicts_with_all = ["environment", "file", "vault"])]
        value: String,
        /// Environment variable of the server that holds the value, TRUNKLINE_SECRET_…
        #[arg(long, value_name = "VARIABLE", conflicts_with = "file")]
        environment: Option<String>,
        /// File in secrets.directory that holds the value
        #[arg(long, value_name = "NAME", conflicts_with_all = ["environment", "vault"])]
        file: Option<String>,
        /// Path and field in the secret manager, such as apps/stripe#token
        #[arg(long, value_name = "PATH#FIELD", conflicts_with = "environment")]
        vault: Option<String>,
    },
    /// Delete a secret
    Delete {
        /// Secret name
        name: String,
        /// Tenant
        #[arg(long, default_value = "default")]
        tenant: String,
    },
}

/// Runs the command.
pub(crate) async fn run(command: SecretCommand, client: &Client) -> Result<ExitCode> {
    match command {
        SecretCommand::List { tenant } => {
            let columns = [
                ("NAME", "/name"),
                ("PROVIDER", "/provider"),
                ("REFERENCE", "/reference"),
                ("HOSTS", "/hosts"),
                ("CHANGED", "/updatedAt"),
            ];
            let secrets = client.get(&api_path!("tenants", tenant, "secrets")).await?;
            output::print_list(client.json, &secrets, &columns);
        }
        SecretCommand::Put { name, tenant, hosts, value, environment, file, vault } => {
            let mut body = json!({ "hosts": hosts });
            match (environment, file, vault) {
                (Some(variable), ..) => body["environment"] = Value::from(variable),
                (None, Some(file), _) => body["file"] = Value::from(file),
                (None, None, Some(reference)) => body["vault"] = Value::from(reference),
                (None, None, None) => {
                    let text =
                        String::from_utf8(find::bytes(&value)?).context("the value is not UTF-8 text")?;
                    body["value"] = Value::from(text.trim_end_matches(['\r', '\n']));
                }
            }
            let answer = client.put(&api_path!("tenants", tenant, "secrets", name), &body).await?;
            let columns = [("name", "/name"), ("provider", "/provider"), ("hosts", "/hosts")];
            output::print_object(client.json, &answer, &columns);
        }
        SecretCommand::Delete { name, tenant } => {
            client.delete(&api_path!("tenants", tenant, "secrets", name)).await?;
            if !client.json {
                out!("{name} removed");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
