//! `trunkline secret`.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::client::{Client, api_path};
use crate::commands::input;
use crate::output::{out, table};

/// Stores, lists and removes what requests of workflows send in their headers.
#[derive(Debug, Subcommand)]
pub(crate) enum SecretCommand {
    /// List secrets by name, without their values
    List {
        /// Whose they are
        #[arg(long, default_value = "default")]
        tenant: String,
    },
    /// Store a secret, in the place of one of the same name
    Put {
        /// Its name
        name: String,
        /// Whose it is
        #[arg(long, default_value = "default")]
        tenant: String,
        /// A host that it may be sent to, such as api.example.com or '*.example.com'
        #[arg(long = "host", value_name = "HOST", required = true)]
        hosts: Vec<String>,
        /// The value: @FILE, or - for standard input; text stays in the history of the shell
        #[arg(long, default_value = "-", conflicts_with_all = ["environment", "file"])]
        value: String,
        /// The variable that holds it in the environment of the server, TRUNKLINE_SECRET_…
        #[arg(long, value_name = "VARIABLE", conflicts_with = "file")]
        environment: Option<String>,
        /// The file that holds it, in the directory of secrets.directory
        #[arg(long, value_name = "NAME")]
        file: Option<String>,
    },
    /// Remove a secret
    Delete {
        /// Its name
        name: String,
        /// Whose it is
        #[arg(long, default_value = "default")]
        tenant: String,
    },
}

/// Runs the verb.
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
            table::print_list(client.json, &secrets, &columns);
        }
        SecretCommand::Put { name, tenant, hosts, value, environment, file } => {
            let mut body = json!({ "hosts": hosts });
            match (environment, file) {
                (Some(variable), _) => body["environment"] = Value::from(variable),
                (None, Some(file)) => body["file"] = Value::from(file),
                (None, None) => {
                    let text =
                        String::from_utf8(input::bytes(&value)?).context("the value is not UTF-8 text")?;
                    body["value"] = Value::from(text.trim_end_matches(['\r', '\n']));
                }
            }
            let answer = client.put(&api_path!("tenants", tenant, "secrets", name), &body).await?;
            let columns = [("name", "/name"), ("provider", "/provider"), ("hosts", "/hosts")];
            table::print_object(client.json, &answer, &columns);
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
