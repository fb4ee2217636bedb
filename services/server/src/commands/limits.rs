//! `trunkline limits` and `trunkline rate`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use domain::limits::LIMIT_MAX;
use domain::rate::{Rate, RateFault};
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, query};
use crate::commands::choices::queues;
use crate::output;
use crate::output::{Column, out};

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
    /// Limits of this tenant; with --job-type, of its jobs of that type
    #[arg(long, conflicts_with = "workflow")]
    tenant: Option<String>,
    /// Limits of this workflow
    #[arg(long)]
    workflow: Option<String>,
    /// Limits of this job type; without --tenant, across all tenants
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
    #[arg(value_parser = limit)]
    max_concurrent: Option<Value>,
    /// Maximum concurrency of each tenant without its own limit
    #[arg(long, value_name = "N")]
    tenant_default: Option<u32>,
    /// Maximum concurrency of each workflow without its own limit
    #[arg(long, value_name = "N")]
    workflow_default: Option<u32>,
    /// Starts per period, such as `100/1m`, `100/1m burst 20`, or `none`
    #[arg(long, value_parser = rate_or_none)]
    rate: Option<Value>,
    /// Starts per period of each tenant without its own rate
    #[arg(long, value_name = "RATE", value_parser = rate_or_none)]
    tenant_rate: Option<Value>,
    /// Starts per period of each workflow without its own rate
    #[arg(long, value_name = "RATE", value_parser = rate_or_none)]
    workflow_rate: Option<Value>,
    /// Starts per period of each job type without its own rate
    #[arg(long, value_name = "RATE", value_parser = rate_or_none)]
    job_type_rate: Option<Value>,
}

/// A limit as entered: null means the default.
fn limit(text: &str) -> Result<Value, String> {
    match text {
        "default" => Ok(Value::Null),
        number => number
            .parse::<u32>()
            .map(Value::from)
            .map_err(|_| format!("expected a number from 0 to {LIMIT_MAX}, or `default`")),
    }
}

/// A rate as entered: null means no rate.
fn rate_or_none(text: &str) -> Result<Value, RateFault> {
    if text == "none" { Ok(Value::Null) } else { Rate::parse(text).map(|rate| json!(rate)) }
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
    let given = [
        ("maxConcurrent", args.max_concurrent.clone()),
        ("tenantMaxConcurrent", args.tenant_default.map(Value::from)),
        ("workflowMaxConcurrent", args.workflow_default.map(Value::from)),
        ("rate", args.rate.clone()),
        ("tenantRate", args.tenant_rate.clone()),
        ("workflowRate", args.workflow_rate.clone()),
        ("jobTypeRate", args.job_type_rate.clone()),
    ];
    let fields: Map<String, Value> =
        given.into_iter().filter_map(|(field, value)| Some((field.to_owned(), value?))).collect();
    if fields.is_empty() {
        bail!("nothing to set: give a number, --rate or one of the defaults");
    }
    Ok(json!({ &args.queue: fields }))
}

fn print(as_json: bool, answer: &Value) {
    if as_json {
        return output::print_json(answer);
    }
    let (mut rows, mut own, mut own_count) = (Vec::new(), Vec::new(), 0);
    for (queue, limits) in answer.as_object().into_iter().flatten().filter(|(_, limits)| limits.is_object()) {
        rows.push(row(queue, limits));
        own.extend(limits["overrides"].as_array().into_iter().flatten().map(|one| row(queue, one)));
        own_count += limits["overrideCount"].as_u64().unwrap_or(0);
    }
    output::print_filled(&rows, &COLUMNS_OF_QUEUES);
    if own.is_empty() {
        return;
    }
    out!("\nSet for single tenants, workflows and job types");
    output::print_filled(&own, &COLUMNS_OF_ONE);
    let more = own_count.saturating_sub(own.len() as u64);
    if more > 0 {
        out!("and {more} more");
    }
}

const COLUMNS_OF_QUEUES: [Column; 10] = [
    ("QUEUE", "/queue"),
    ("LIMIT", "/maxConcurrent"),
    ("FROM", "/source"),
    ("EACH TENANT", "/tenantMaxConcurrent"),
    ("EACH WORKFLOW", "/workflowMaxConcurrent"),
    ("RATE", "/rate"),
    ("RATE FROM", "/rateSource"),
    ("RATE OF EACH TENANT", "/tenantRate"),
    ("RATE OF EACH WORKFLOW", "/workflowRate"),
    ("RATE OF EACH TYPE", "/jobTypeRate"),
];

const COLUMNS_OF_ONE: [Column; 6] = [
    ("QUEUE", "/queue"),
    ("TENANT", "/tenant"),
    ("WORKFLOW", "/workflow"),
    ("JOB TYPE", "/jobType"),
    ("LIMIT", "/maxConcurrent"),
    ("RATE", "/rate"),
];

/// The limits with their queue, formatted for display.
fn row(queue: &str, limits: &Value) -> Value {
    let mut row = limits.clone();
    row["queue"] = Value::from(queue);
    for field in ["rate", "tenantRate", "workflowRate", "jobTypeRate"] {
        let rate: Option<Rate> = serde_json::from_value(row[field].take()).ok();
        row[field] = rate.map_or(Value::Null, |rate| Value::from(rate.to_string()));
    }
    for field in ["maxConcurrent", "tenantMaxConcurrent", "workflowMaxConcurrent"] {
        if limits.get(field).is_some_and(Value::is_null) {
            row[field] = Value::from("unlimited");
        }
    }
    row
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
        /// Key, such as smtp:example.org, or 'smtp:*' for each key with this prefix
        key: String,
        /// Starts per period, such as 100/1m or '100/1m burst 20'
        #[arg(value_parser = Rate::parse)]
        rate: Rate,
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
            let body = json!({ "rate": rate, "maxConcurrent": max_concurrent });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_shown_as_people_read_them() {
        let limits = json!({"maxConcurrent": null, "tenantMaxConcurrent": 3, "rate": {"starts": 5, "per": "1m", "burst": 2}});
        let row = row("workflow-node", &limits);
        assert_eq!((&row["queue"], &row["maxConcurrent"]), (&json!("workflow-node"), &json!("unlimited")));
        assert_eq!((&row["tenantMaxConcurrent"], &row["rate"]), (&json!(3), &json!("5/1m burst 2")));
        assert_eq!(row.get("workflowMaxConcurrent"), None, "what was not said is not unlimited");
    }

    #[test]
    fn limits_and_rates_are_read_from_the_command_line() {
        assert_eq!((limit("default"), limit("0")), (Ok(Value::Null), Ok(json!(0))));
        assert_eq!((rate_or_none("none"), rate_or_none("5/1s")), (Ok(Value::Null), Ok(json!("5/1s"))));
        assert!(limit("-1").is_err() && limit("many").is_err() && rate_or_none("fast").is_err());
    }
}
