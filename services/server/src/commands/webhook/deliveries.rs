//! The verbs on deliveries: list, show, wait for, replay.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use domain::id::DeliveryKind;
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, id, query};
use crate::commands::batch;
use crate::output;
use crate::output::{Exit, out, shown};

/// Interval between reads of a delivery while waiting for it.
const POLL: Duration = Duration::from_millis(200);

/// Maximum wait for a delivery.
const PATIENCE: Duration = Duration::from_secs(30);

/// Filters of deliveries.
#[derive(Debug, Args)]
pub(super) struct FilterArgs {
    /// Status: accepted, held, matched, unmatched, parked, duplicate, rejected or handshake
    #[arg(long)]
    status: Option<String>,
    /// Event type of the provider, such as push
    #[arg(long, value_name = "TYPE")]
    event_type: Option<String>,
    /// Filter by tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Received at or after this instant
    #[arg(long, value_name = "INSTANT")]
    from: Option<String>,
    /// Received before this instant
    #[arg(long, value_name = "INSTANT")]
    to: Option<String>,
}

impl FilterArgs {
    fn pairs(self, webhook: Option<String>) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("webhookId", webhook),
            ("status", self.status),
            ("eventType", self.event_type),
            ("tenant", self.tenant),
            ("from", self.from),
            ("to", self.to),
        ]
    }
}

/// Arguments of `webhook deliveries`.
#[derive(Debug, Args)]
pub(crate) struct DeliveriesArgs {
    /// Filter by webhook
    webhook: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Maximum number of results
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Start after this cursor, from the previous page
    #[arg(long)]
    cursor: Option<String>,
}

/// Arguments of `webhook replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Delivery ID; omit it to replay by filter
    #[arg(value_parser = id::<DeliveryKind>, conflicts_with_all = ["webhook", "status", "event_type", "tenant", "from", "to", "all", "dry_run"])]
    delivery: Option<String>,
    /// Filter by webhook
    #[arg(long, value_name = "ID")]
    webhook: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Also start workflows that triggers have already started
    #[arg(long)]
    all_triggers: bool,
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

/// Lists deliveries.
pub(super) async fn list(args: DeliveriesArgs, client: &Client) -> Result<()> {
    let mut parameters = args.filter.pairs(args.webhook);
    parameters.extend([("limit", Some(args.limit.to_string())), ("cursor", args.cursor)]);
    let columns = [
        ("ID", "/id"),
        ("WEBHOOK", "/webhookId"),
        ("STATUS", "/status"),
        ("REASON", "/reason"),
        ("EVENT", "/eventType"),
        ("RECEIVED", "/receivedAt"),
        ("EXECUTION", "/executions/0"),
    ];
    output::print_list(client.json, &client.get(&query("/v1/deliveries", &parameters)).await?, &columns);
    Ok(())
}

/// Shows a delivery, after it was matched if that is wanted.
pub(super) async fn show(client: &Client, id: &str, wait: bool) -> Result<ExitCode> {
    let delivery = if wait { matched(client, id).await? } else { read(client, id).await? };
    print(client, &delivery);
    Ok(if wait && delivery["status"] == "parked" { Exit::Unfinished.into() } else { ExitCode::SUCCESS })
}

async fn read(client: &Client, id: &str) -> Result<Value> {
    Ok(client.get(&api_path!("deliveries", id)).await?)
}

/// The delivery once its triggers were matched.
async fn matched(client: &Client, id: &str) -> Result<Value> {
    let until = Instant::now() + PATIENCE;
    loop {
        let delivery = read(client, id).await?;
        if delivery["status"] != "accepted" {
            return Ok(delivery);
        }
        if Instant::now() >= until {
            bail!(
                "{id} was not matched within {} s; is a process with the role webhook running?",
                PATIENCE.as_secs()
            );
        }
        tokio::time::sleep(POLL).await;
    }
}

fn print(client: &Client, delivery: &Value) {
    let columns = [
        ("id", "/id"),
        ("webhook", "/webhookId"),
        ("status", "/status"),
        ("reason", "/reason"),
        ("event", "/eventType"),
        ("provider's id", "/providerEventId"),
        ("duplicate of", "/duplicateOf"),
        ("replay of", "/replayOf"),
        ("verified by", "/secretId"),
        ("from", "/remoteAddress"),
        ("received", "/receivedAt"),
        ("matched", "/processedAt"),
        ("bytes", "/bodyBytes"),
        ("tenant", "/tenant"),
    ];
    output::print_object(client.json, delivery, &columns);
    if client.json {
        return;
    }
    for trigger in delivery["triggers"].as_array().into_iter().flatten() {
        let word = |pointer: &str| trigger.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let more = [word("/executionId"), word("/error/message")].concat();
        out!("trigger {}: {} {}", word("/triggerId"), word("/result"), shown(&more));
    }
    if let Some(body) = delivery["body"].as_str() {
        out!("body ({}): {}", delivery["bodyEncoding"].as_str().unwrap_or_default(), shown(body));
    }
}

/// Replays one delivery, or many.
pub(super) async fn replay(args: ReplayArgs, client: &Client) -> Result<ExitCode> {
    if let Some(id) = &args.delivery {
        let body = json!({ "allTriggers": args.all_triggers });
        let answer = client.post(&api_path!("deliveries", id, "replay"), &body).await?;
        let columns = [("delivery", "/deliveryId"), ("replay of", "/replayOf")];
        output::print_object(client.json, &answer, &columns);
        return Ok(ExitCode::SUCCESS);
    }
    let pairs = args.filter.pairs(args.webhook).into_iter();
    let filter: Map<String, Value> =
        pairs.filter_map(|(name, value)| Some((name.to_owned(), json!(value?)))).collect();
    if filter.is_empty() && !args.all {
        bail!("expected a delivery ID, a filter such as --status parked, or --all");
    }
    let mut body = Map::from_iter([
        ("filter".to_owned(), Value::Object(filter)),
        ("all".to_owned(), json!(args.all)),
        ("dryRun".to_owned(), json!(args.dry_run)),
        ("allTriggers".to_owned(), json!(args.all_triggers)),
    ]);
    if let Some(limit) = args.limit {
        body.insert("limit".into(), json!(limit));
    }
    if let Some(rate) = args.rate_per_second {
        body.insert("ratePerSecond".into(), json!(rate));
    }
    let answer = client.post("/v1/deliveries/replay", &Value::Object(body)).await?;
    if args.dry_run {
        output::print_object(client.json, &answer, &[("count", "/count")]);
        return Ok(ExitCode::SUCCESS);
    }
    batch::follow(client, answer, "deliveries").await
}
