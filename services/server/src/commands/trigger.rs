//! `trunkline trigger` and `trunkline event`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{ArgGroup, Args, Subcommand};
use domain::id::TriggerKind;
use serde_json::{Value, json};

use crate::client::{Client, api_path, id, query};
use crate::commands::choices::priorities;
use crate::commands::find;
use crate::output;
use crate::output::out;

/// Manages triggers that start workflows by events.
#[derive(Debug, Subcommand)]
pub(crate) enum TriggerCommand {
    /// List triggers, newest first
    List {
        /// Filter by tenant
        #[arg(long)]
        tenant: Option<String>,
        /// Maximum number of results
        #[arg(long, default_value_t = 50)]
        limit: u32,
        /// Start after this cursor, from the previous page
        #[arg(long)]
        cursor: Option<String>,
    },
    /// Create a trigger
    Create(Box<CreateArgs>),
    /// Show a trigger
    Show {
        /// Trigger ID
        #[arg(value_parser = id::<TriggerKind>)]
        id: String,
    },
    /// Delete a trigger
    Delete {
        /// Trigger ID
        #[arg(value_parser = id::<TriggerKind>)]
        id: String,
    },
}

/// Arguments of `trigger create`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("gathers").args(["debounce", "batch"]))]
pub(crate) struct CreateArgs {
    /// Trigger name, unique within the tenant
    name: String,
    /// Event name to match, such as order.paid or 'order.*'; repeatable
    #[arg(long = "event", value_name = "NAME", required = true)]
    events: Vec<String>,
    /// Workflow to start
    #[arg(long)]
    workflow: String,
    /// Workflow version (default: the latest)
    #[arg(long)]
    workflow_version: Option<u32>,
    /// CEL condition to match, such as "body.total > 100"
    #[arg(long, value_name = "CEL")]
    filter: Option<String>,
    /// Execution input, with ${…} expressions over the event: JSON, @FILE, or - (default: the event's data)
    #[arg(long, value_name = "JSON")]
    input: Option<String>,
    /// Priority
    #[arg(long, value_parser = priorities())]
    priority: Option<String>,
    /// Start one execution with the last event, after this period without events
    #[arg(long, value_name = "PERIOD", conflicts_with = "batch")]
    debounce: Option<String>,
    /// Start at most this often, such as 10/1m; further starts wait for their turn
    #[arg(long, value_name = "RATE")]
    throttle: Option<String>,
    /// Key of the starts that --throttle counts together, such as '${body.customer}'
    #[arg(long, value_name = "TEXT", requires = "throttle")]
    throttle_key: Option<String>,
    /// Start one execution for up to this many events
    #[arg(long, value_name = "SIZE", requires = "batch_timeout")]
    batch: Option<u32>,
    /// Longest wait of a batch after its first event, such as 10s
    #[arg(long, value_name = "DURATION", requires = "batch")]
    batch_timeout: Option<String>,
    /// Key of the events that --debounce or --batch combine into one start, such as '${body.id}'
    #[arg(long, value_name = "TEXT", requires = "gathers")]
    gather_key: Option<String>,
    /// Create the trigger paused
    #[arg(long)]
    paused: bool,
    /// Tenant
    #[arg(long)]
    tenant: Option<String>,
}

const COLUMNS: [(&str, &str); 6] = [
    ("ID", "/id"),
    ("NAME", "/name"),
    ("EVENTS", "/events"),
    ("WORKFLOW", "/workflow"),
    ("PAUSED", "/paused"),
    ("TENANT", "/tenant"),
];

/// Runs the command.
pub(crate) async fn run(command: TriggerCommand, client: &Client) -> Result<ExitCode> {
    match command {
        TriggerCommand::List { tenant, limit, cursor } => {
            let pairs = [("tenant", tenant), ("limit", Some(limit.to_string())), ("cursor", cursor)];
            let triggers = client.get(&query(&api_path!("triggers"), &pairs)).await?;
            output::print_list(client.json, &triggers, &COLUMNS);
        }
        TriggerCommand::Create(args) => {
            let answer = client.post(&api_path!("triggers"), &args.body()?).await?;
            output::print_object(client.json, &answer, &COLUMNS);
        }
        TriggerCommand::Show { id } => {
            let trigger = client.get(&api_path!("triggers", id)).await?;
            output::print_object(client.json, &trigger, &COLUMNS);
        }
        TriggerCommand::Delete { id } => {
            client.delete(&api_path!("triggers", id)).await?;
            if !client.json {
                out!("{id} removed");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl CreateArgs {
    fn body(self) -> Result<Value> {
        let mut body = json!({ "name": self.name, "events": self.events, "workflow": self.workflow });
        if let Some(version) = self.workflow_version {
            body["version"] = json!(version);
        }
        if let Some(input) = self.input {
            body["input"] = find::json(&input)?;
        }
        for (field, value) in [("filter", self.filter), ("priority", self.priority), ("tenant", self.tenant)]
        {
            if let Some(value) = value {
                body[field] = Value::from(value);
            }
        }
        if self.paused {
            body["paused"] = json!(true);
        }
        if let Some(rate) = self.throttle {
            body["throttle"] = json!({ "rate": rate, "key": self.throttle_key });
        }
        if let Some(period) = self.debounce {
            body["debounce"] = json!({ "period": period, "key": self.gather_key });
        } else if let Some(size) = self.batch {
            body["batch"] = json!({ "maxSize": size, "timeout": self.batch_timeout, "key": self.gather_key });
        }
        Ok(body)
    }
}

// `trunkline event`.

/// Sends events.
#[derive(Debug, Subcommand)]
pub(crate) enum EventCommand {
    /// Send an event that starts workflows by triggers and wakes executions that wait for it
    Send {
        /// Event name, such as order.paid
        name: String,
        /// Data: JSON, @FILE, or - for standard input (default: null)
        #[arg(long, value_name = "JSON")]
        data: Option<String>,
        /// ID of the event: a second event with the same name and ID within 24 hours is a duplicate
        #[arg(long)]
        id: Option<String>,
        /// Tenant
        #[arg(long)]
        tenant: Option<String>,
    },
}

/// Runs the command.
pub(crate) async fn run_event(command: EventCommand, client: &Client) -> Result<ExitCode> {
    let EventCommand::Send { name, data, id, tenant } = command;
    let mut body = json!({ "name": name });
    if let Some(data) = data {
        body["data"] = find::json(&data)?;
    }
    for (field, value) in [("id", id), ("tenant", tenant)] {
        if let Some(value) = value {
            body[field] = Value::from(value);
        }
    }
    let answer = client.post(&api_path!("events"), &body).await?;
    let columns = [("delivery", "/deliveryId"), ("deduplicated", "/deduplicated")];
    output::print_object(client.json, &answer, &columns);
    Ok(ExitCode::SUCCESS)
}
