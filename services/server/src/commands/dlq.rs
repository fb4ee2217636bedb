//! `trunkline dlq`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use domain::id::DeadLetterKind;
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, id, query};
use crate::commands::find::{ListArgs, OfDeadLetters};
use crate::commands::{batch, input};
use crate::output::table;

/// Manages dead letters.
#[derive(Debug, Subcommand)]
pub(crate) enum DlqCommand {
    /// List dead letters, newest first
    List(Box<ListArgs<OfDeadLetters>>),
    /// List archived dead letters, newest first
    Archived(Box<ListArgs<OfDeadLetters>>),
    /// Show failures grouped by error
    Groups(FilterArgs),
    /// Show a dead letter with its attempts
    Show {
        /// Dead letter ID
        #[arg(value_parser = id::<DeadLetterKind>)]
        id: String,
    },
    /// Requeue dead letters
    Requeue(RequeueArgs),
    /// Archive dead letters
    Archive(ArchiveArgs),
    /// Export archived dead letters as JSON Lines
    Export {
        /// Output file (default: standard output)
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
}

/// Filters of dead letters.
#[derive(Debug, Clone, Args)]
pub(crate) struct FilterArgs {
    /// Filter by queue
    #[arg(long)]
    queue: Option<String>,
    /// Filter by workflow
    #[arg(long)]
    workflow: Option<String>,
    /// Filter by job type
    #[arg(long)]
    job_type: Option<String>,
    /// Filter by tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Filter by group
    #[arg(long)]
    fingerprint: Option<String>,
}

impl FilterArgs {
    fn pairs(&self) -> [(&'static str, Option<String>); 5] {
        [
            ("queue", self.queue.clone()),
            ("workflow", self.workflow.clone()),
            ("jobType", self.job_type.clone()),
            ("tenant", self.tenant.clone()),
            ("fingerprint", self.fingerprint.clone()),
        ]
    }

    fn object(&self) -> Value {
        let fields: Map<String, Value> = self
            .pairs()
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), json!(value?))))
            .collect();
        Value::Object(fields)
    }
}

/// Arguments shared by bulk commands.
#[derive(Debug, Args)]
pub(crate) struct BulkArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Apply to all, without a filter
    #[arg(long)]
    all: bool,
    /// Dry run: only count the matches
    #[arg(long)]
    dry_run: bool,
    /// Maximum number to process
    #[arg(long)]
    limit: Option<u64>,
    /// Maximum rate, per second
    #[arg(long)]
    rate_per_second: Option<u32>,
}

impl BulkArgs {
    fn body(&self) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("filter".into(), self.filter.object());
        body.insert("all".into(), json!(self.all));
        body.insert("dryRun".into(), json!(self.dry_run));
        if let Some(limit) = self.limit {
            body.insert("limit".into(), json!(limit));
        }
        if let Some(rate) = self.rate_per_second {
            body.insert("ratePerSecond".into(), json!(rate));
        }
        body
    }
}

/// Arguments of `dlq requeue`.
#[derive(Debug, Args)]
pub(crate) struct RequeueArgs {
    /// Dead letter ID; omit it to requeue by filter
    #[arg(value_parser = id::<DeadLetterKind>)]
    id: Option<String>,
    /// New payload for this dead letter: JSON, @FILE, or -
    #[arg(long, requires = "id")]
    data: Option<String>,
    /// New priority
    #[arg(long)]
    priority: Option<String>,
    /// New maximum number of retries
    #[arg(long)]
    max_retries: Option<u32>,
    #[command(flatten)]
    bulk: BulkArgs,
}

/// Arguments of `dlq archive`.
#[derive(Debug, Args)]
pub(crate) struct ArchiveArgs {
    /// Dead letter ID; omit it to archive by filter
    #[arg(value_parser = id::<DeadLetterKind>)]
    id: Option<String>,
    /// Reason
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    bulk: BulkArgs,
}

const COLUMNS: [table::Column; 7] = [
    ("ID", "/id"),
    ("JOB", "/jobId"),
    ("TYPE", "/jobType"),
    ("TENANT", "/tenant"),
    ("REASON", "/reason"),
    ("ERROR", "/error/message"),
    ("DIED", "/diedAt"),
];

/// Runs the command.
pub(crate) async fn run(command: DlqCommand, client: &Client) -> Result<ExitCode> {
    match command {
        DlqCommand::List(args) => args.print(client, "/v1/dead-letters", &COLUMNS).await?,
        DlqCommand::Archived(args) => args.print(client, "/v1/archive", &COLUMNS).await?,
        DlqCommand::Groups(filter) => {
            let answer = client.get(&query("/v1/dead-letters/groups", &filter.pairs())).await?;
            let columns = [
                ("FINGERPRINT", "/fingerprint"),
                ("COUNT", "/count"),
                ("TYPE", "/jobType"),
                ("ERROR", "/error/message"),
                ("LAST", "/lastAt"),
            ];
            table::print_list(client.json, &answer, &columns);
        }
        DlqCommand::Show { id } => table::print_json(&client.get(&api_path!("dead-letters", id)).await?),
        DlqCommand::Requeue(args) => return requeue(args, client).await,
        DlqCommand::Archive(args) => return archive(args, client).await,
        DlqCommand::Export { output } => {
            let text = client.get_text("/v1/archive/export").await?;
            match output {
                Some(path) => {
                    std::fs::write(&path, text)
                        .with_context(|| format!("cannot write {}", path.display()))?;
                }
                None => crate::output::text(&text),
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn requeue(args: RequeueArgs, client: &Client) -> Result<ExitCode> {
    let mut edit = Map::new();
    if let Some(priority) = &args.priority {
        edit.insert("priority".into(), json!(priority));
    }
    if let Some(max_retries) = args.max_retries {
        edit.insert("maxRetries".into(), json!(max_retries));
    }
    match &args.id {
        Some(id) => {
            if let Some(data) = &args.data {
                edit.insert("data".into(), input::json(data)?);
            }
            one(client, id, "requeue", edit).await
        }
        None => bulk(client, "requeue", &args.bulk, edit).await,
    }
}

async fn archive(args: ArchiveArgs, client: &Client) -> Result<ExitCode> {
    let fields = Map::from_iter([("reason".to_owned(), json!(args.reason))]);
    match &args.id {
        Some(id) => one(client, id, "archive", fields).await,
        None => bulk(client, "archive", &args.bulk, fields).await,
    }
}

async fn one(client: &Client, id: &str, verb: &str, body: Map<String, Value>) -> Result<ExitCode> {
    let answer = client.post(&api_path!("dead-letters", id, verb), &Value::Object(body)).await?;
    table::print_object(client.json, &answer, &[("id", "/id"), ("job", "/jobId"), ("status", "/status")]);
    Ok(ExitCode::SUCCESS)
}

async fn bulk(client: &Client, verb: &str, args: &BulkArgs, fields: Map<String, Value>) -> Result<ExitCode> {
    if args.filter.object() == json!({}) && !args.all {
        bail!("expected a dead letter ID, a filter such as --job-type, or --all");
    }
    let mut body = args.body();
    body.extend(fields);
    let answer = client.post(&api_path!("dead-letters", verb), &Value::Object(body)).await?;
    if args.dry_run {
        table::print_object(client.json, &answer, &[("count", "/count")]);
        return Ok(ExitCode::SUCCESS);
    }
    batch::follow(client, answer, "dead letters").await
}
