//! `trunkline batch`, and the options of verbs that change many objects at once.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use domain::id::BatchKind;
use serde_json::{Map, Value, json};

use super::batch::{self, COLUMNS};
use super::find::{FilterArgs, ListType};
use crate::client::{Client, api_path, id, query};
use crate::commands::choices::item_outcomes;
use crate::commands::find::{ListArgs, OfBatches};
use crate::output;
use crate::output::out;

/// Manages bulk operations.
#[derive(Debug, Subcommand)]
pub(crate) enum BatchCommand {
    /// List bulk operations, newest first
    List(Box<ListArgs<OfBatches>>),
    /// Show a bulk operation
    Show {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
    },
    /// List the objects of a bulk operation with their outcomes
    Items {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
        /// Filter by outcome (separate several with commas)
        #[arg(long, value_parser = item_outcomes())]
        outcome: Option<String>,
        /// Maximum number of results
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Start after this cursor, from the previous page
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Pause a bulk operation
    Pause {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
    },
    /// Resume a paused bulk operation
    Resume {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
    },
    /// Abort a bulk operation; completed changes are kept
    Abort {
        /// Bulk operation ID
        #[arg(value_parser = id::<BatchKind>)]
        id: String,
    },
}

/// Runs the command.
pub(crate) async fn run(command: BatchCommand, client: &Client) -> Result<ExitCode> {
    match command {
        BatchCommand::List(args) => {
            let columns = [
                ("ID", "/id"),
                ("KIND", "/kind"),
                ("STATUS", "/status"),
                ("TOTAL", "/total"),
                ("DONE", "/done"),
                ("FAILED", "/failed"),
                ("ACTOR", "/actor"),
                ("CREATED", "/createdAt"),
            ];
            args.print(client, "/v1/batches", &columns).await?;
        }
        BatchCommand::Show { id } => {
            output::print_object(client.json, &client.get(&api_path!("batches", id)).await?, &COLUMNS);
        }
        BatchCommand::Items { id, outcome, limit, cursor } => {
            let parameters = [("outcome", outcome), ("limit", Some(limit.to_string())), ("cursor", cursor)];
            let columns = [
                ("ID", "/id"),
                ("OUTCOME", "/outcome"),
                ("RESULT", "/resultId"),
                ("AT", "/at"),
                ("ERROR", "/error"),
            ];
            let path = query(&api_path!("batches", id, "items"), &parameters);
            output::print_list(client.json, &client.get(&path).await?, &columns);
        }
        BatchCommand::Pause { id } => turn(client, &id, "pause").await?,
        BatchCommand::Resume { id } => turn(client, &id, "resume").await?,
        BatchCommand::Abort { id } => turn(client, &id, "abort").await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn turn(client: &Client, id: &str, verb: &str) -> Result<()> {
    let answer = client.post(&api_path!("batches", id, verb), &json!({})).await?;
    output::print_object(client.json, &answer, &COLUMNS);
    Ok(())
}

// Options of commands that change many objects, and the batch that they follow.

/// Which objects, and how to go about them.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
#[derive(Debug, Clone, Args)]
pub(crate) struct BulkArgs<L: ListType + Send + Sync + Clone + 'static> {
    #[command(flatten)]
    filter: FilterArgs<L, true>,
    /// Apply to all, without a filter
    #[arg(long)]
    all: bool,
    /// Change nothing: only count the matches, and show the first ten
    #[arg(long)]
    dry_run: bool,
    /// Maximum number to process
    #[arg(long)]
    limit: Option<u64>,
    /// Maximum rate, per second
    #[arg(long)]
    rate_per_second: Option<u32>,
    /// Process this many first, and continue if all succeed
    #[arg(long, value_name = "N")]
    canary: Option<u64>,
    /// After the canary, wait for `batch resume`
    #[arg(long, requires = "canary")]
    canary_manual: bool,
    /// Stop when more than this share failed, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    stop_on_failure_rate: Option<f64>,
    /// Return immediately instead of following the operation
    #[arg(long)]
    no_wait: bool,
}

impl<L: ListType + Send + Sync + Clone + 'static> BulkArgs<L> {
    fn filter(&self) -> Map<String, Value> {
        let given = self.filter.pairs().into_iter().filter_map(|(name, value)| {
            let value = value?;
            // A query has commas of its own.
            let value = match name {
                "q" => json!(value),
                _ => json!(value.split(',').collect::<Vec<_>>()),
            };
            Some((name.to_owned(), value))
        });
        given.collect()
    }

    fn body(&self) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("filter".into(), Value::Object(self.filter()));
        body.insert("all".into(), json!(self.all));
        body.insert("dryRun".into(), json!(self.dry_run));
        let optional = [
            ("limit", self.limit.map(|limit| json!(limit))),
            ("ratePerSecond", self.rate_per_second.map(|rate| json!(rate))),
            ("stopOnFailureRate", self.stop_on_failure_rate.map(|rate| json!(rate))),
            (
                "canary",
                self.canary.map(|count| {
                    let proceed = if self.canary_manual { "manual" } else { "auto" };
                    json!({ "count": count, "proceed": proceed })
                }),
            ),
        ];
        body.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        body
    }

    /// Starts the operation with fields of its own, and follows it to its end.
    pub(crate) async fn run(
        &self,
        client: &Client,
        path: &str,
        what: &'static str,
        fields: Map<String, Value>,
    ) -> Result<ExitCode> {
        if self.filter().is_empty() && !self.all {
            bail!("expected an ID, a filter such as --q or --tenant, or --all");
        }
        let mut body = self.body();
        body.extend(fields);
        let answer = client.post(path, &Value::Object(body)).await?;
        if self.dry_run {
            print_matches(client.json, &answer);
            return Ok(ExitCode::SUCCESS);
        }
        if self.no_wait {
            output::print_object(client.json, &answer, &batch::COLUMNS);
            return Ok(ExitCode::SUCCESS);
        }
        batch::follow(client, answer, what).await
    }
}

/// The objects that a bulk operation would change.
fn print_matches(as_json: bool, answer: &Value) {
    output::print_object(as_json, answer, &[("count", "/count"), ("exact", "/exact")]);
    let samples = answer["samples"].as_array().map_or(&[][..], Vec::as_slice);
    if as_json || samples.is_empty() {
        return;
    }
    out!("\nThe first {}", samples.len());
    let columns = [
        ("ID", "/id"),
        ("NAME", "/name"),
        ("TYPE", "/jobType"),
        ("WORKFLOW", "/workflow"),
        ("EVENT", "/eventType"),
        ("STATUS", "/status"),
        ("TENANT", "/tenant"),
        ("ERROR", "/error/message"),
    ];
    output::print_filled(samples, &columns);
}

/// The reason as a field, where one was given.
pub(crate) fn reason_field(reason: Option<String>) -> Map<String, Value> {
    reason.map(|reason| ("reason".to_owned(), json!(reason))).into_iter().collect()
}
