//! `trunkline job`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use domain::id::JobKind;
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, id};
use crate::commands::batches::{BulkArgs, reason_field};
use crate::commands::choices::priorities;
use crate::commands::find::{ListArgs, OfJobs};
use crate::commands::logs::{self, LogsPart};
use crate::commands::{batch, find};
use crate::output;
use crate::output::out;

/// Manages jobs.
#[derive(Debug, Subcommand)]
pub(crate) enum JobCommand {
    /// Enqueue a job, or one job per line of a JSON Lines file
    Enqueue(Box<EnqueueArgs>),
    /// List jobs, newest first
    List(Box<ListArgs<OfJobs>>),
    /// Show a job with its attempts
    Show {
        /// Job ID
        #[arg(value_parser = id::<JobKind>)]
        id: String,
    },
    /// Explain why a job is not running
    Why {
        /// Job ID
        #[arg(value_parser = id::<JobKind>)]
        id: String,
    },
    /// Show the log lines of a job
    Logs {
        /// Job ID
        #[arg(value_parser = id::<JobKind>)]
        id: String,
        /// Show only this attempt, counted from 1
        #[arg(long)]
        attempt: Option<u32>,
        #[command(flatten)]
        part: LogsPart,
    },
    /// Cancel a job, or many by filter
    Cancel(Box<ChangeArgs>),
    /// Make a job that is scheduled or waits for a retry due now, or many by filter
    Retry(Box<ChangeArgs>),
    /// Change the priority of a job that is not running, or of many by filter
    Reprioritize {
        /// Job ID, omitted to choose jobs by filter, and the priority: high, normal or low
        #[arg(num_args = 1..=2, required = true, value_names = ["ID", "PRIORITY"], value_parser = id_or_priority)]
        words: Vec<String>,
        /// Reason, kept with the operation
        #[arg(long)]
        reason: Option<String>,
        #[command(flatten)]
        bulk: Box<BulkArgs<OfJobs>>,
    },
}

/// An argument of `job reprioritize`.
fn id_or_priority(text: &str) -> Result<String, String> {
    // Whatever looks like an ID is read as one, so that the fault is about that.
    if text.starts_with("job_") { id::<JobKind>(text) } else { priorities().read(text) }
}

/// A job, or which jobs.
#[derive(Debug, Args)]
pub(crate) struct ChangeArgs {
    /// Job ID; omit it to choose jobs by filter
    #[arg(value_parser = id::<JobKind>)]
    id: Option<String>,
    /// Reason, kept with the operation
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    bulk: BulkArgs<OfJobs>,
}

/// Arguments of `job enqueue`.
#[derive(Debug, Args)]
pub(crate) struct EnqueueArgs {
    /// Job type
    #[arg(required_unless_present = "file")]
    job_type: Option<String>,
    /// Payload: JSON, @FILE, or - for standard input
    #[arg(long, short, default_value = "{}")]
    data: String,
    /// Enqueue every line of this file: a JSON object as in POST /v1/jobs
    #[arg(long, conflicts_with = "job_type", value_name = "JSONL")]
    file: Option<std::path::PathBuf>,
    /// Priority
    #[arg(long, value_parser = priorities())]
    priority: Option<String>,
    /// Tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Delay before the first attempt, such as 5m
    #[arg(long)]
    delay: Option<String>,
    /// Maximum wait for the first attempt, such as 10m; after that the job is cancelled
    #[arg(long, value_name = "DURATION")]
    expires_in: Option<String>,
    /// Timeout of an attempt, such as 30s
    #[arg(long)]
    timeout: Option<String>,
    /// Maximum number of retries
    #[arg(long)]
    max_retries: Option<u32>,
    /// Unique key: at most one unfinished job has it
    #[arg(long)]
    unique_key: Option<String>,
    /// Concurrency key: at most one running job has it, or as many as `rate set KEY --max-concurrent` says
    #[arg(long)]
    concurrency_key: Option<String>,
    /// Rate key: starts are counted under the rate that is set for it
    #[arg(long)]
    rate_key: Option<String>,
    /// Tag; repeatable
    #[arg(long = "tag")]
    tags: Vec<String>,
}

/// Runs the command.
pub(crate) async fn run(command: JobCommand, client: &Client) -> Result<ExitCode> {
    match command {
        JobCommand::Enqueue(args) => return enqueue(*args, client).await,
        JobCommand::List(args) => args.print(client, "/v1/jobs", &COLUMNS).await?,
        JobCommand::Show { id } => show(client, &id).await?,
        JobCommand::Why { id } => {
            let columns = [
                ("reason", "/reason"),
                ("detail", "/detail"),
                ("limit", "/limit"),
                ("running", "/running"),
                ("rank", "/rank"),
                ("rate", "/rate"),
                ("can start", "/canStartAt"),
                ("frees when", "/freesWhen"),
                ("holders", "/holders"),
            ];
            output::print_object(client.json, &client.get(&api_path!("jobs", id, "why")).await?, &columns);
        }
        JobCommand::Logs { id, attempt, part } => {
            logs::print(client, &api_path!("jobs", id, "logs"), attempt, part).await?;
        }
        JobCommand::Cancel(args) => return change_some(client, *args, "cancel").await,
        JobCommand::Retry(args) => return change_some(client, *args, "retry").await,
        JobCommand::Reprioritize { words, reason, bulk } => match words.as_slice() {
            [job, priority] => {
                let job = id::<JobKind>(job).map_err(anyhow::Error::msg)?;
                change(client, &job, "reprioritize", &json!({ "priority": priority })).await?;
            }
            words => {
                let mut fields = reason_field(reason);
                fields.insert("priority".into(), json!(words.first()));
                return bulk.run(client, "/v1/jobs/reprioritize", "jobs", fields).await;
            }
        },
    }
    Ok(ExitCode::SUCCESS)
}

async fn enqueue(args: EnqueueArgs, client: &Client) -> Result<ExitCode> {
    if let Some(path) = &args.file {
        return batch::enqueue_file(client, path).await;
    }
    let mut body = Map::new();
    body.insert("jobType".into(), json!(args.job_type));
    body.insert("data".into(), find::json(&args.data)?);
    let optional = [
        ("priority", args.priority),
        ("tenant", args.tenant),
        ("delay", args.delay),
        ("expiresIn", args.expires_in),
        ("timeout", args.timeout),
        ("uniqueKey", args.unique_key),
        ("concurrencyKey", args.concurrency_key),
        ("rateKey", args.rate_key),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            body.insert(name.into(), json!(value));
        }
    }
    if let Some(max_retries) = args.max_retries {
        body.insert("maxRetries".into(), json!(max_retries));
    }
    if !args.tags.is_empty() {
        body.insert("tags".into(), json!(args.tags));
    }
    let answer = client.post("/v1/jobs", &Value::Object(body)).await?;
    output::print_object(client.json, &answer, &[("id", "/id"), ("status", "/status")]);
    Ok(ExitCode::SUCCESS)
}

/// Columns of a list of jobs.
const COLUMNS: [output::Column; 8] = [
    ("ID", "/id"),
    ("QUEUE", "/queue"),
    ("TYPE", "/jobType"),
    ("STATUS", "/status"),
    ("PRIORITY", "/priority"),
    ("TENANT", "/tenant"),
    ("RETRIES", "/retryCount"),
    ("CREATED", "/createdAt"),
];

async fn show(client: &Client, id: &str) -> Result<()> {
    let job = client.get(&api_path!("jobs", id)).await?;
    let columns = [
        ("id", "/id"),
        ("queue", "/queue"),
        ("type", "/jobType"),
        ("status", "/status"),
        ("priority", "/priority"),
        ("tenant", "/tenant"),
        ("workflow", "/workflow"),
        ("execution", "/executionId"),
        ("node", "/nodeId"),
        ("created", "/createdAt"),
        ("due", "/runAt"),
        ("completed", "/completedAt"),
        ("data", "/data"),
        ("result", "/result"),
        ("error", "/error/message"),
    ];
    output::print_object(client.json, &job, &columns);
    if !client.json {
        out!("\nAttempts");
        let columns = [
            ("NUMBER", "/attemptNumber"),
            ("STATUS", "/status"),
            ("STARTED", "/startedAt"),
            ("TOOK", "/durationMs"),
            ("WORKER", "/workerId"),
            ("ERROR", "/error/message"),
        ];
        output::print_rows(job["attempts"].as_array().map_or(&[], Vec::as_slice), &columns);
    }
    Ok(())
}

async fn change_some(client: &Client, args: ChangeArgs, verb: &str) -> Result<ExitCode> {
    if let Some(id) = &args.id {
        change(client, id, verb, &json!({})).await?;
        return Ok(ExitCode::SUCCESS);
    }
    args.bulk.run(client, &api_path!("jobs", verb), "jobs", reason_field(args.reason)).await
}

async fn change(client: &Client, id: &str, verb: &str, body: &Value) -> Result<()> {
    let answer = client.post(&api_path!("jobs", id, verb), body).await?;
    output::print_object(client.json, &answer, &[("id", "/id"), ("status", "/status")]);
    Ok(())
}
