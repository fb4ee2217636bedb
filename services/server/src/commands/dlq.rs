//! `trunkline dlq`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use domain::id::DeadLetterKind;
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, id, query};
use crate::commands::batches::{BulkArgs, reason_field};
use crate::commands::choices::{group_states, priorities, queues};
use crate::commands::find;
use crate::commands::find::{ListArgs, OfDeadLetters};
use crate::output;

/// Manages dead letters.
#[derive(Debug, Subcommand)]
pub(crate) enum DlqCommand {
    /// List dead letters, newest first
    List(Box<ListArgs<OfDeadLetters>>),
    /// List archived dead letters, newest first
    Archived(Box<ListArgs<OfDeadLetters>>),
    /// Show failures grouped by error
    Groups(GroupArgs),
    /// Resolve a group: it opens again when the error returns
    Resolve {
        /// Fingerprint of the group
        fingerprint: String,
        /// Note for others
        #[arg(long)]
        note: Option<String>,
    },
    /// Ignore a group until a time, a number of dead letters or a version, or permanently
    Ignore {
        /// Fingerprint of the group
        fingerprint: String,
        /// Until this instant
        #[arg(long)]
        until: Option<String>,
        /// Until this many more dead letters
        #[arg(long)]
        count: Option<u32>,
        /// Until it occurs in this version of a workflow, or a later one
        #[arg(long, value_name = "WORKFLOW:VERSION", value_parser = workflow_version)]
        version: Option<(String, u32)>,
        /// Note for others
        #[arg(long)]
        note: Option<String>,
    },
    /// Reopen a group
    Reopen {
        /// Fingerprint of the group
        fingerprint: String,
        /// Note for others
        #[arg(long)]
        note: Option<String>,
    },
    /// Show a dead letter with its attempts
    Show {
        /// Dead letter ID
        #[arg(value_parser = id::<DeadLetterKind>)]
        id: String,
    },
    /// Requeue dead letters
    Requeue(Box<RequeueArgs>),
    /// Archive dead letters
    Archive(Box<ArchiveArgs>),
    /// Export archived dead letters as JSON Lines
    Export {
        /// Output file (default: standard output)
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
}

/// Filters of groups of dead letters.
#[derive(Debug, Clone, Args)]
pub(crate) struct GroupArgs {
    /// Filter by queue
    #[arg(long, value_parser = queues())]
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
    /// Filter by state of the group (separate several with commas)
    #[arg(long, value_parser = group_states())]
    state: Option<String>,
    /// Failed permanently at or after this instant
    #[arg(long, value_name = "INSTANT")]
    from: Option<String>,
    /// Failed permanently before this instant
    #[arg(long, value_name = "INSTANT")]
    to: Option<String>,
    /// Maximum number of results
    #[arg(long, default_value_t = 50)]
    limit: u32,
}

impl GroupArgs {
    fn pairs(&self) -> [(&'static str, Option<String>); 9] {
        [
            ("queue", self.queue.clone()),
            ("workflow", self.workflow.clone()),
            ("jobType", self.job_type.clone()),
            ("tenant", self.tenant.clone()),
            ("fingerprint", self.fingerprint.clone()),
            ("state", self.state.clone()),
            ("from", self.from.clone()),
            ("to", self.to.clone()),
            ("limit", Some(self.limit.to_string())),
        ]
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
    #[arg(long, value_parser = priorities())]
    priority: Option<String>,
    /// New maximum number of retries
    #[arg(long)]
    max_retries: Option<u32>,
    /// Reason, kept with the operation
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    bulk: BulkArgs<OfDeadLetters>,
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
    bulk: BulkArgs<OfDeadLetters>,
}

const COLUMNS: [output::Column; 7] = [
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
                ("STATE", "/state"),
                ("COUNT", "/count"),
                ("TYPE", "/jobType"),
                ("ERROR", "/error/message"),
                ("LAST", "/lastAt"),
            ];
            output::print_list(client.json, &answer, &columns);
        }
        DlqCommand::Resolve { fingerprint, note } => {
            return decide(client, &fingerprint, "resolve", &json!({ "note": note })).await;
        }
        DlqCommand::Ignore { fingerprint, until, count, version, note } => {
            let (workflow, version) = version.unzip();
            let until = json!({ "instant": until, "count": count, "workflow": workflow, "version": version });
            let body = json!({ "note": note, "until": until });
            return decide(client, &fingerprint, "ignore", &body).await;
        }
        DlqCommand::Reopen { fingerprint, note } => {
            return decide(client, &fingerprint, "reopen", &json!({ "note": note })).await;
        }
        DlqCommand::Show { id } => output::print_json(&client.get(&api_path!("dead-letters", id)).await?),
        DlqCommand::Requeue(args) => return requeue(*args, client).await,
        DlqCommand::Archive(args) => return archive(*args, client).await,
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

fn workflow_version(text: &str) -> Result<(String, u32)> {
    let parts = text.rsplit_once(':').and_then(|(name, version)| Some((name, version.parse().ok()?)));
    let (workflow, version) = parts.context("expected a workflow and a version, such as order:3")?;
    Ok((workflow.to_owned(), version))
}

async fn requeue(args: RequeueArgs, client: &Client) -> Result<ExitCode> {
    let mut edit = Map::new();
    if let Some(priority) = &args.priority {
        edit.insert("priority".into(), json!(priority));
    }
    if let Some(max_retries) = args.max_retries {
        edit.insert("maxRetries".into(), json!(max_retries));
    }
    if let Some(id) = &args.id {
        if let Some(data) = &args.data {
            edit.insert("data".into(), find::json(data)?);
        }
        one(client, id, "requeue", edit).await
    } else {
        edit.extend(reason_field(args.reason));
        args.bulk.run(client, "/v1/dead-letters/requeue", "dead letters", edit).await
    }
}

async fn archive(args: ArchiveArgs, client: &Client) -> Result<ExitCode> {
    let fields = Map::from_iter([("reason".to_owned(), json!(args.reason))]);
    match &args.id {
        Some(id) => one(client, id, "archive", fields).await,
        None => args.bulk.run(client, "/v1/dead-letters/archive", "dead letters", fields).await,
    }
}

async fn one(client: &Client, id: &str, verb: &str, body: Map<String, Value>) -> Result<ExitCode> {
    let answer = client.post(&api_path!("dead-letters", id, verb), &Value::Object(body)).await?;
    output::print_object(client.json, &answer, &[("id", "/id"), ("job", "/jobId"), ("status", "/status")]);
    Ok(ExitCode::SUCCESS)
}

async fn decide(client: &Client, fingerprint: &str, verb: &str, body: &Value) -> Result<ExitCode> {
    let answer = client.post(&api_path!("dead-letters", "groups", fingerprint, verb), body).await?;
    let fields = [("fingerprint", "/fingerprint"), ("state", "/state"), ("note", "/note")];
    output::print_object(client.json, &answer, &fields);
    Ok(ExitCode::SUCCESS)
}
