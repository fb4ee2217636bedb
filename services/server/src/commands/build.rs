//! `trunkline build`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Value, json};

use crate::client::{Client, api_path, query};
use crate::output;
use crate::output::out;

/// Pins job types to builds of workers.
#[derive(Debug, Subcommand)]
pub(crate) enum BuildCommand {
    /// List job types that are pinned to builds
    List {
        /// Filter by tenant
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Let only workers of certain builds take the jobs of a type
    Pin {
        /// Job type
        job_type: String,
        /// Builds, as workers name them
        #[arg(required = true)]
        builds: Vec<String>,
        /// Tenant (default: the key's tenant, or all tenants)
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Let any worker take the jobs of a type again
    Unpin {
        /// Job type
        job_type: String,
        /// Tenant (default: the key's tenant, or all tenants)
        #[arg(long)]
        tenant: Option<String>,
    },
}

const COLUMNS: [(&str, &str); 5] = [
    ("JOB TYPE", "/jobType"),
    ("BUILDS", "/builds"),
    ("TENANT", "/tenant"),
    ("PINNED BY", "/source"),
    ("SINCE", "/since"),
];

/// Runs the command.
pub(crate) async fn run(command: BuildCommand, client: &Client) -> Result<ExitCode> {
    let of_type = |job_type: &str, tenant: Option<String>| {
        query(&api_path!("job-types", job_type, "builds"), &[("tenant", tenant)])
    };
    match command {
        BuildCommand::List { tenant } => {
            let pins: Value = client.get(&query(&api_path!("builds"), &[("tenant", tenant)])).await?;
            output::print_list(client.json, &pins, &COLUMNS);
        }
        BuildCommand::Pin { job_type, builds, tenant } => {
            let pin = client.put(&of_type(&job_type, tenant), &json!({ "builds": builds })).await?;
            output::print_object(client.json, &pin, &COLUMNS);
        }
        BuildCommand::Unpin { job_type, tenant } => {
            client.delete(&of_type(&job_type, tenant)).await?;
            if !client.json {
                out!("{job_type} unpinned");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
