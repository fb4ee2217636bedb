//! `trunkline rate`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use domain::rate::Rate;
use serde_json::json;

use crate::client::{Client, api_path, query};
use crate::output::{out, table};

/// Manages rates of keys that enqueues and nodes name as rateKey.
#[derive(Debug, Subcommand)]
pub(crate) enum RateCommand {
    /// List the rates by key
    List {
        /// Filter by tenant
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Set the rate of a key
    Set {
        /// Key, such as smtp:example.org, or 'smtp:*' for each key that begins so
        key: String,
        /// Starts per period, such as 100/1m or '100/1m burst 20'
        rate: String,
        /// Maximum number of concurrent jobs of each key
        #[arg(long)]
        max_concurrent: Option<u32>,
        /// Tenant
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Delete the rate of a key
    Delete {
        /// Key
        key: String,
        /// Tenant
        #[arg(long)]
        tenant: Option<String>,
    },
}

const COLUMNS: [(&str, &str); 4] =
    [("KEY", "/key"), ("RATE", "/rate"), ("MAX CONCURRENT", "/maxConcurrent"), ("TENANT", "/tenant")];

/// Runs the command.
pub(crate) async fn run(command: RateCommand, client: &Client) -> Result<ExitCode> {
    match command {
        RateCommand::List { tenant } => {
            let rates = client.get(&query(&api_path!("rates"), &[("tenant", tenant)])).await?;
            table::print_list(client.json, &rates, &COLUMNS);
        }
        RateCommand::Set { key, rate, max_concurrent, tenant } => {
            let path = query(&api_path!("rates", key), &[("tenant", tenant)]);
            let body = json!({ "rate": Rate::parse(&rate)?, "maxConcurrent": max_concurrent });
            table::print_object(client.json, &client.put(&path, &body).await?, &COLUMNS);
        }
        RateCommand::Delete { key, tenant } => {
            client.delete(&query(&api_path!("rates", key), &[("tenant", tenant)])).await?;
            if !client.json {
                out!("{key} removed");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
