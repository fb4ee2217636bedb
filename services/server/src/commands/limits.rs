//! `trunkline limits` and `trunkline rate`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use domain::rate::Rate;
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, query};
use crate::commands::offered::queues;
use crate::output;
use crate::output::out;

/// Shows and changes limits.
#[derive(Debug, Subcommand)]
pub(crate) enum LimitsCommand {
    /// Show the effective limits
    Show(TargetArgs),
    /// Set a limit
    Set(SetArgs),
}

/// The scope of the limits.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Limits of this tenant, with --job-type of its jobs of that type
    #[arg(long, conflicts_with = "workflow")]
    tenant: Option<String>,
    /// Limits of this workflow
    #[arg(long)]
    workflow: Option<String>,
    /// Limits of this job type, without --tenant over all tenants
    #[arg(long, conflicts_with = "workflow")]
    job_type: Option<String>,
}

impl TargetArgs {
    fn path(&self) -> String {
        match (&self.tenant, &self.workflow, &self.job_type) {
            (tenant, _, Some(job_type)) => {
                query(&api_path!("job-types", job_type, "limits"), &[("tenant", tenant.clone())])
            }
            (Some(tenant), _, None) => api_path!("tenants", tenant, "limits"),
            (None, Some(workflow), None) => api_path!("workflows", workflow, "limits"),
            (None, None, None) => "/v1/limits".to_owned(),
        }
    }
}

/// Arguments of `limits set`.
#[derive(Debug, Args)]
pub(crate) struct SetArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Queue
    #[arg(value_parser = queues())]
    queue: String,
    /// Maximum concurrency, or `default` to restore the default
    max_concurrent: Option<String>,
    /// Maximum concurrency of each tenant without its own limit
    #[arg(long)]
    tenant_default: Option<u32>,
    /// Maximum concurrency of each workflow without its own limit
    #[arg(long)]
    workflow_default: Option<u32>,
    /// Starts per period, such as `100/1m`, `100/1m burst 20`, or `none`
    #[arg(long)]
    rate: Option<String>,
    /// Starts per period of each tenant without its own rate
    #[arg(long)]
    tenant_rate: Option<String>,
    /// Starts per period of each workflow without its own rate
    #[arg(long)]
    workflow_rate: Option<String>,
    /// Starts per period of each job type without its own rate
    #[arg(long)]
    job_type_rate: Option<String>,
}

/// Runs the command.
pub(crate) async fn run(command: LimitsCommand, client: &Client) -> Result<ExitCode> {
    let answer = match command {
        LimitsCommand::Show(target) => client.get(&target.path()).await?,
        LimitsCommand::Set(args) => client.put(&args.target.path(), &set_body(&args)?).await?,
    };
    print(client.json, &answer);
    Ok(ExitCode::SUCCESS)
}

fn set_body(args: &SetArgs) -> Result<Value> {
    let mut fields = Map::new();
    match args.max_concurrent.as_deref() {
        None => {}
        Some("default") => {
            fields.insert("maxConcurrent".into(), Value::Null);
        }
        Some(number) => {
            let Ok(number) = number.parse::<u32>() else {
                bail!("expected a number from 0 to {} or `default`, got {number}", u32::MAX)
            };
            fields.insert("maxConcurrent".into(), json!(number));
        }
    }
    if let Some(number) = args.tenant_default {
        fields.insert("tenantMaxConcurrent".into(), json!(number));
    }
    if let Some(number) = args.workflow_default {
        fields.insert("workflowMaxConcurrent".into(), json!(number));
    }
    let rates = [
        ("rate", &args.rate),
        ("tenantRate", &args.tenant_rate),
        ("workflowRate", &args.workflow_rate),
        ("jobTypeRate", &args.job_type_rate),
    ];
    for (field, text) in rates {
        match text.as_deref() {
            None => {}
            Some("none") => drop(fields.insert(field.into(), Value::Null)),
            Some(text) => drop(fields.insert(field.into(), json!(Rate::parse(text)?))),
        }
    }
    if fields.is_empty() {
        bail!("nothing to set: give a number, --rate or one of the defaults");
    }
    Ok(json!({ &args.queue: fields }))
}

fn print(as_json: bool, answer: &Value) {
    if as_json {
        return output::print_json(answer);
    }
    let mut rows = Vec::new();
    for (queue, limits) in answer.as_object().into_iter().flatten() {
        let mut row = limits.clone();
        if row.is_object() {
            row["queue"] = Value::from(queue.as_str());
            for field in ["rate", "tenantRate", "workflowRate", "jobTypeRate"] {
                let rate: Option<Rate> = serde_json::from_value(row[field].take()).ok();
                row[field] = rate.map_or(Value::Null, |rate| Value::from(rate.to_string()));
            }
            rows.push(row);
        }
    }
    let columns = [
        ("QUEUE", "/queue"),
        ("LIMIT", "/maxConcurrent"),
        ("FROM", "/source"),
        ("EACH TENANT", "/tenantMaxConcurrent"),
        ("EACH WORKFLOW", "/workflowMaxConcurrent"),
        ("RATE", "/rate"),
        ("FROM", "/rateSource"),
        ("EACH TENANT", "/tenantRate"),
        ("EACH WORKFLOW", "/workflowRate"),
        ("EACH TYPE", "/jobTypeRate"),
    ];
    output::print_rows(&rows, &columns);
}

// `trunkline rate`.

/// Manages rates of keys that enqueues and nodes name as rateKey.
#[derive(Debug, Subcommand)]
pub(crate) enum RateCommand {
    /// List the rates by key
    List {
        /// Filter by tenant
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Set the rate of a rate key
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
    /// Delete the rate of a rate key
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
pub(crate) async fn run_rate(command: RateCommand, client: &Client) -> Result<ExitCode> {
    match command {
        RateCommand::List { tenant } => {
            let rates = client.get(&query(&api_path!("rates"), &[("tenant", tenant)])).await?;
            output::print_list(client.json, &rates, &COLUMNS);
        }
        RateCommand::Set { key, rate, max_concurrent, tenant } => {
            let path = query(&api_path!("rates", key), &[("tenant", tenant)]);
            let body = json!({ "rate": Rate::parse(&rate)?, "maxConcurrent": max_concurrent });
            output::print_object(client.json, &client.put(&path, &body).await?, &COLUMNS);
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
