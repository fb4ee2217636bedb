//! `trunkline alert`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Value, json};

use crate::client::{Client, api_path, query};
use crate::commands::choices::{alert_statuses, notification_statuses, severities};
use crate::commands::find;
use crate::output;
use crate::output::{Column, out};

/// Manages alerts, their rules, routes and silences.
#[derive(Debug, Subcommand)]
pub(crate) enum AlertCommand {
    /// List alerts, newest first
    List {
        /// Filter by status (separate several with commas)
        #[arg(long, value_parser = alert_statuses())]
        status: Option<String>,
        /// Filter by rule
        #[arg(long)]
        rule: Option<String>,
        /// Filter by severity
        #[arg(long, value_parser = severities())]
        severity: Option<String>,
        /// Maximum number of results
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Start after this cursor, from the previous page
        #[arg(long)]
        cursor: Option<String>,
    },
    /// List rules, set one from JSON, or delete one
    Rules {
        /// Name of the rule to set
        #[arg(long, value_name = "NAME", requires = "body")]
        set: Option<String>,
        /// The rule as JSON: text, @FILE, or - for standard input
        #[arg(long, requires = "set")]
        body: Option<String>,
        /// Name of the rule to delete; a default rule returns to its defaults
        #[arg(long, value_name = "NAME", conflicts_with = "set")]
        delete: Option<String>,
    },
    /// List routes, set one from JSON, or delete one
    Routes {
        /// Name of the route to set
        #[arg(long, value_name = "NAME", requires = "body")]
        set: Option<String>,
        /// The route as JSON: text, @FILE, or - for standard input
        #[arg(long, requires = "set")]
        body: Option<String>,
        /// Name of the route to delete
        #[arg(long, value_name = "NAME", conflicts_with = "set")]
        delete: Option<String>,
    },
    /// Silence alerts, list silences, or end one
    Silence {
        /// How long, such as 2h
        #[arg(long = "for", value_name = "DURATION", requires = "reason")]
        span: Option<String>,
        /// Reason
        #[arg(long, requires = "span")]
        reason: Option<String>,
        /// Only alerts of this rule
        #[arg(long)]
        rule: Option<String>,
        /// Only alerts with this label
        #[arg(long = "label", value_name = "NAME=VALUE")]
        labels: Vec<String>,
        /// ID of the silence to end
        #[arg(long, value_name = "ID", conflicts_with = "span")]
        end: Option<String>,
    },
    /// Send a test notification to a route
    Test {
        /// Route
        route: String,
    },
    /// List notifications, or send one again
    Notifications {
        /// Filter by status (separate several with commas)
        #[arg(long, value_parser = notification_statuses())]
        status: Option<String>,
        /// ID of the notification to send again
        #[arg(long, value_name = "ID", conflicts_with = "status")]
        retry: Option<String>,
        /// Maximum number of results
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Start after this cursor, from the previous page
        #[arg(long)]
        cursor: Option<String>,
    },
}

/// What is shown of a notification.
const NOTIFICATION: [Column; 6] = [
    ("ID", "/id"),
    ("ROUTE", "/route"),
    ("TYPE", "/type"),
    ("STATUS", "/status"),
    ("TRIES", "/tries"),
    ("ERROR", "/error"),
];

/// Runs the command.
pub(crate) async fn run(command: AlertCommand, client: &Client) -> Result<ExitCode> {
    match command {
        AlertCommand::List { status, rule, severity, limit, cursor } => {
            let filter = [
                ("status", status),
                ("rule", rule),
                ("severity", severity),
                ("limit", Some(limit.to_string())),
                ("cursor", cursor),
            ];
            let columns = [
                ("ID", "/id"),
                ("STATUS", "/status"),
                ("SEVERITY", "/severity"),
                ("STARTED", "/startedAt"),
                ("SUMMARY", "/summary"),
            ];
            output::print_list(client.json, &client.get(&query("/v1/alerts", &filter)).await?, &columns);
        }
        AlertCommand::Rules { set, body, delete } => {
            let columns = [
                ("NAME", "/name"),
                ("METRIC", "/metric"),
                ("ABOVE", "/above"),
                ("BELOW", "/below"),
                ("FOR", "/for"),
                ("SEVERITY", "/severity"),
                ("ROUTES", "/routes"),
                ("ENABLED", "/enabled"),
            ];
            named(client, "rules", (set, body, delete), &columns).await?;
        }
        AlertCommand::Routes { set, body, delete } => {
            let columns = [
                ("NAME", "/name"),
                ("TYPE", "/type"),
                ("URL", "/url"),
                ("SIGNED", "/signed"),
                ("SECRET", "/secret"),
            ];
            named(client, "routes", (set, body, delete), &columns).await?;
        }
        AlertCommand::Silence { span, reason, rule, labels, end } => {
            silence(client, (span, reason, rule), &labels, end).await?;
        }
        AlertCommand::Test { route } => {
            let path = api_path!("alerts", "routes", route, "test");
            output::print_object(client.json, &client.post(&path, &json!({})).await?, &NOTIFICATION);
        }
        AlertCommand::Notifications { retry: Some(id), .. } => {
            let path = api_path!("alerts", "notifications", id, "retry");
            output::print_object(client.json, &client.post(&path, &json!({})).await?, &NOTIFICATION);
        }
        AlertCommand::Notifications { status, retry: None, limit, cursor } => {
            let page = [("status", status), ("limit", Some(limit.to_string())), ("cursor", cursor)];
            let path = query("/v1/alerts/notifications", &page);
            output::print_list(client.json, &client.get(&path).await?, &NOTIFICATION);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Lists, sets or deletes rules or routes.
async fn named(
    client: &Client,
    noun: &str,
    (set, body, delete): (Option<String>, Option<String>, Option<String>),
    columns: &[Column],
) -> Result<()> {
    if let Some(name) = delete {
        client.delete(&api_path!("alerts", noun, name)).await?;
        if !client.json {
            out!("{name} removed");
        }
        return Ok(());
    }
    let (Some(name), Some(body)) = (set, body) else {
        output::print_list(client.json, &client.get(&api_path!("alerts", noun)).await?, columns);
        return Ok(());
    };
    let answer = client.put(&api_path!("alerts", noun, name), &find::json(&body)?).await?;
    output::print_object(client.json, &answer, columns);
    Ok(())
}

async fn silence(
    client: &Client,
    (span, reason, rule): (Option<String>, Option<String>, Option<String>),
    labels: &[String],
    end: Option<String>,
) -> Result<()> {
    if let Some(id) = end {
        client.delete(&api_path!("alerts", "silences", id)).await?;
        if !client.json {
            out!("{id} ended");
        }
        return Ok(());
    }
    let columns =
        [("ID", "/id"), ("RULE", "/rule"), ("LABELS", "/labels"), ("UNTIL", "/until"), ("REASON", "/reason")];
    let (Some(span), Some(reason)) = (span, reason) else {
        output::print_list(client.json, &client.get("/v1/alerts/silences").await?, &columns);
        return Ok(());
    };
    let mut body = json!({ "for": span, "reason": reason, "labels": {} });
    if let Some(rule) = rule {
        body["rule"] = Value::from(rule);
    }
    for label in labels {
        let (name, value) =
            label.split_once('=').ok_or_else(|| anyhow::anyhow!("--label {label}: expected NAME=VALUE"))?;
        body["labels"][name] = Value::from(value);
    }
    let answer = client.post("/v1/alerts/silences", &body).await?;
    output::print_object(client.json, &answer, &columns);
    Ok(())
}
