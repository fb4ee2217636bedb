//! `trunkline tenant`.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path};
use crate::output;

/// Manages tenants.
#[derive(Debug, Subcommand)]
pub(crate) enum TenantCommand {
    /// List tenants
    List,
    /// Create a tenant
    Create {
        /// Tenant name
        name: String,
    },
    /// Show usage and quotas of a tenant
    Usage {
        /// Tenant name
        name: String,
    },
    /// Erase a tenant and all of its data
    Erase {
        /// Tenant name
        name: String,
        /// The name again, to confirm: erased data cannot be restored
        #[arg(long, value_name = "NAME")]
        confirm: String,
        /// Cancel unfinished jobs and executions, without compensation
        #[arg(long)]
        cancel_open: bool,
    },
    /// Show whether the payloads of a tenant are encrypted, enable or disable it, or rotate its key
    Encryption {
        /// Tenant name
        name: String,
        /// Action (default: show)
        #[arg(value_enum)]
        change: Option<EncryptionChange>,
    },
    /// Show or change the quotas of a tenant
    Quotas {
        /// Tenant name
        name: String,
        /// Changes
        #[command(flatten)]
        edits: Box<QuotaEdits>,
    },
}

/// A change of the encryption of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum EncryptionChange {
    /// Encrypt payloads from now on
    Enable,
    /// Stop encrypting payloads; encrypted ones stay encrypted and readable
    Disable,
    /// Encrypt with a new key from now on
    Rotate,
}

/// Quotas to change: a number, `unlimited`, or `default`.
#[derive(Debug, Args)]
pub(crate) struct QuotaEdits {
    /// Unfinished jobs: a number, unlimited, or default
    #[arg(long, value_name = "N", value_parser = quota)]
    open_jobs: Option<Value>,
    /// Unfinished executions
    #[arg(long, value_name = "N", value_parser = quota)]
    open_executions: Option<Value>,
    /// Bytes of payloads of unfinished work
    #[arg(long, value_name = "BYTES", value_parser = quota)]
    payload_bytes: Option<Value>,
    /// Finished jobs and executions
    #[arg(long, value_name = "N", value_parser = quota)]
    history_rows: Option<Value>,
    /// Bytes of stored webhook deliveries
    #[arg(long, value_name = "BYTES", value_parser = quota)]
    delivery_bytes: Option<Value>,
    /// Responses stored for idempotency keys of each API key
    #[arg(long, value_name = "N", value_parser = quota)]
    idempotency_keys: Option<Value>,
    /// Workflow versions
    #[arg(long, value_name = "N", value_parser = quota)]
    workflow_versions: Option<Value>,
    /// Schedules
    #[arg(long, value_name = "N", value_parser = quota)]
    schedules: Option<Value>,
    /// Webhooks
    #[arg(long, value_name = "N", value_parser = quota)]
    webhooks: Option<Value>,
    /// API keys, including revoked ones
    #[arg(long, value_name = "N", value_parser = quota)]
    api_keys: Option<Value>,
    /// Bytes of workflow versions, schedule inputs and webhook configurations
    #[arg(long, value_name = "BYTES", value_parser = quota)]
    definition_bytes: Option<Value>,
    /// Bytes of stored log lines of jobs
    #[arg(long, value_name = "BYTES", value_parser = quota)]
    log_bytes: Option<Value>,
    /// Bytes of waiting starts of triggers
    #[arg(long, value_name = "BYTES", value_parser = quota)]
    waiting_start_bytes: Option<Value>,
}

impl QuotaEdits {
    fn into_body(self) -> Map<String, Value> {
        let all = [
            ("openJobs", self.open_jobs),
            ("openExecutions", self.open_executions),
            ("payloadBytes", self.payload_bytes),
            ("historyRows", self.history_rows),
            ("deliveryBytes", self.delivery_bytes),
            ("idempotencyKeys", self.idempotency_keys),
            ("workflowVersions", self.workflow_versions),
            ("schedules", self.schedules),
            ("webhooks", self.webhooks),
            ("apiKeys", self.api_keys),
            ("definitionBytes", self.definition_bytes),
            ("logBytes", self.log_bytes),
            ("waitingStartBytes", self.waiting_start_bytes),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// A quota as it is written: null stands for the default.
fn quota(text: &str) -> Result<Value, String> {
    match text {
        "default" => Ok(Value::Null),
        "unlimited" => Ok(Value::from(text)),
        number => number
            .parse::<u64>()
            .map(Value::from)
            .map_err(|_| "expected a whole number, unlimited, or default".to_owned()),
    }
}

/// Runs the command.
pub(crate) async fn run(command: TenantCommand, client: &Client) -> Result<ExitCode> {
    match command {
        TenantCommand::List => {
            output::print_list(
                client.json,
                &client.get("/v1/tenants").await?,
                &[("NAME", "/name"), ("CREATED", "/createdAt")],
            );
        }
        TenantCommand::Create { name } => {
            let answer = client.post("/v1/tenants", &json!({ "name": name })).await?;
            output::print_object(client.json, &answer, &[("name", "/name"), ("created", "/createdAt")]);
        }
        TenantCommand::Usage { name } => {
            print_usage(client.json, &client.get(&api_path!("tenants", name, "usage")).await?);
        }
        TenantCommand::Erase { name, confirm, cancel_open } => {
            let body = json!({ "confirm": confirm, "cancelOpen": cancel_open });
            let batch = client.post(&api_path!("tenants", name, "erase"), &body).await?;
            output::print_object(client.json, &batch, &[("batch", "/id"), ("status", "/status")]);
        }
        TenantCommand::Encryption { name, change } => {
            let path = api_path!("tenants", name, "encryption");
            let answer = match change {
                None => client.get(&path).await?,
                Some(EncryptionChange::Rotate) => {
                    client.post(&api_path!("tenants", name, "encryption", "rotate"), &json!({})).await?
                }
                Some(change) => {
                    client.put(&path, &json!({ "enabled": change == EncryptionChange::Enable })).await?
                }
            };
            print_encryption(client.json, &answer);
        }
        TenantCommand::Quotas { name, edits } => {
            let (path, body) = (api_path!("tenants", name, "quotas"), edits.into_body());
            let answer = if body.is_empty() {
                client.get(&path).await?
            } else {
                client.put(&path, &Value::Object(body)).await?
            };
            print_quotas(client.json, &answer);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A row for each kind of thing that has a quota.
fn print_usage(as_json: bool, usage: &Value) {
    let fields = usage.as_object().into_iter().flatten();
    let rows: Vec<Value> = fields
        .filter(|(_, figure)| figure.get("used").is_some())
        .map(|(name, figure)| json!({ "name": name, "used": used(figure), "quota": shown(&figure["quota"]) }))
        .collect();
    if as_json {
        output::print_object(true, usage, &[]);
    } else {
        let columns = [("RESOURCE", "/name"), ("USED", "/used"), ("QUOTA", "/quota")];
        output::print_list(false, &json!({ "items": rows }), &columns);
    }
}

/// How much is used, or at least.
fn used(figure: &Value) -> Value {
    let used = &figure["used"];
    if figure["exact"] == false { Value::from(format!("at least {used}")) } else { used.clone() }
}

fn print_encryption(as_json: bool, answer: &Value) {
    output::print_object(as_json, answer, &[("enabled", "/enabled")]);
    if !as_json {
        let columns = [
            ("KEY", "/id"),
            ("CURRENT", "/current"),
            ("SEALED WITH", "/sealedWith"),
            ("USABLE", "/usable"),
            ("CREATED", "/createdAt"),
        ];
        output::print_list(false, &json!({ "items": answer["keys"] }), &columns);
    }
}

fn print_quotas(as_json: bool, quotas: &Value) {
    let fields = quotas.as_object().into_iter().flatten();
    let rows: Vec<Value> =
        fields.map(|(name, quota)| json!({ "name": name, "quota": shown(quota) })).collect();
    if as_json {
        output::print_object(true, quotas, &[]);
    } else {
        output::print_list(false, &json!({ "items": rows }), &[("RESOURCE", "/name"), ("QUOTA", "/quota")]);
    }
}

fn shown(quota: &Value) -> Value {
    if quota.is_null() { Value::from("unlimited") } else { quota.clone() }
}
