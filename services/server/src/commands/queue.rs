//! `trunkline queue`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Value, json};

use crate::client::{Client, api_path, query};
use crate::commands::choices::queues;
use crate::output;

/// Manages queues.
#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    /// List queues with their statistics
    List,
    /// Show how many workers a queue could use
    Scaling {
        /// Queue
        #[arg(value_parser = queues())]
        queue: String,
        /// Job types, separated by commas
        #[arg(long)]
        job_type: Option<String>,
        /// Tenant
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Pause a queue: start no jobs, accept new ones
    Pause {
        /// Queue
        #[arg(value_parser = queues())]
        queue: String,
    },
    /// Resume a queue
    Resume {
        /// Queue
        #[arg(value_parser = queues())]
        queue: String,
    },
    /// Drain a queue: finish queued jobs, reject new ones
    Drain {
        /// Queue
        #[arg(value_parser = queues())]
        queue: String,
    },
}

/// Runs the command.
pub(crate) async fn run(command: QueueCommand, client: &Client) -> Result<ExitCode> {
    match command {
        QueueCommand::List => list(client).await?,
        QueueCommand::Scaling { queue, job_type, tenant } => {
            scaling(client, &queue, job_type, tenant).await?;
        }
        QueueCommand::Pause { queue } => change(client, &queue, "pause").await?,
        QueueCommand::Resume { queue } => change(client, &queue, "resume").await?,
        QueueCommand::Drain { queue } => change(client, &queue, "drain").await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &Client) -> Result<()> {
    let answer = client.get("/v1/queues").await?;
    if client.json {
        output::print_json(&answer);
        return Ok(());
    }
    // One row a tier: the figures of a queue are by tier.
    let mut rows = Vec::new();
    for queue in answer["items"].as_array().into_iter().flatten() {
        for (tier, figures) in queue["tiers"].as_object().into_iter().flatten() {
            let mut row = figures.clone();
            row["queue"] = queue["queue"].clone();
            row["tier"] = Value::from(tier.as_str());
            row["mode"] = queue["mode"].clone();
            row["deadLetters"] = queue["deadLetters"].clone();
            rows.push(row);
        }
    }
    let columns = [
        ("QUEUE", "/queue"),
        ("TIER", "/tier"),
        ("QUEUED", "/queued"),
        ("PROCESSING", "/processing"),
        ("RETRY_WAIT", "/retryWait"),
        ("OLDEST", "/oldestAgeMs"),
        ("DEAD", "/deadLetters"),
        ("MODE", "/mode"),
    ];
    output::print_rows(&rows, &columns);
    Ok(())
}

async fn scaling(
    client: &Client,
    queue: &str,
    job_type: Option<String>,
    tenant: Option<String>,
) -> Result<()> {
    let path = query(&api_path!("queues", queue, "scaling"), &[("jobType", job_type), ("tenant", tenant)]);
    let answer = client.get(&path).await?;
    let columns = [
        ("DESIRED", "/desired"),
        ("PROCESSING", "/processing"),
        ("OFFERED", "/offered"),
        ("QUEUED", "/queued"),
        ("STARTABLE", "/startable"),
        ("HELD BY LIMIT", "/heldByLimit"),
        ("NO WORKER", "/noWorker"),
        ("OLDEST", "/oldestAgeMs"),
        ("WORKERS", "/workers"),
        ("EXACT", "/exact"),
    ];
    output::print_object(client.json, &answer, &columns);
    Ok(())
}

async fn change(client: &Client, queue: &str, verb: &str) -> Result<()> {
    let answer = client.post(&api_path!("queues", queue, verb), &json!({})).await?;
    output::print_object(client.json, &answer, &[("queue", "/queue"), ("mode", "/mode")]);
    Ok(())
}
