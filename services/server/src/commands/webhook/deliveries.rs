//! The verbs on deliveries: list, show, wait for, replay.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use domain::id::{DeliveryKind, WebhookKind};
use serde_json::{Value, json};

use crate::client::{Client, api_path, id};
use crate::commands::batches::{BulkArgs, reason_field};
use crate::commands::find::{ListArgs, OfDeliveries};
use crate::output;
use crate::output::{Exit, out, shown};

/// Interval between reads of a delivery while waiting for it.
const POLL: Duration = Duration::from_millis(200);

/// Maximum wait for a delivery.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Arguments of `webhook deliveries`.
#[derive(Debug, Args)]
pub(crate) struct DeliveriesArgs {
    /// Only deliveries to this webhook
    #[arg(value_parser = id::<WebhookKind>)]
    webhook: Option<String>,
    #[command(flatten)]
    list: ListArgs<OfDeliveries>,
}

/// Arguments of `webhook replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// Delivery ID; omit it to replay by filter
    #[arg(value_parser = id::<DeliveryKind>)]
    delivery: Option<String>,
    /// Also start workflows that triggers have already started
    #[arg(long)]
    all_triggers: bool,
    /// Reason, kept with the operation
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    bulk: BulkArgs<OfDeliveries>,
}

/// Lists deliveries.
pub(super) async fn list(args: DeliveriesArgs, client: &Client) -> Result<()> {
    let columns = [
        ("ID", "/id"),
        ("WEBHOOK", "/webhookId"),
        ("STATUS", "/status"),
        ("REASON", "/reason"),
        ("EVENT", "/eventType"),
        ("RECEIVED", "/receivedAt"),
        ("EXECUTION", "/executions/0"),
    ];
    let path = match &args.webhook {
        Some(webhook) => api_path!("webhooks", webhook, "deliveries"),
        None => "/v1/deliveries".to_owned(),
    };
    args.list.print(client, &path, &columns).await
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
    let until = Instant::now() + WAIT_MAX;
    loop {
        let delivery = read(client, id).await?;
        if delivery["status"] != "accepted" {
            return Ok(delivery);
        }
        if Instant::now() >= until {
            bail!(
                "{id} was not matched within {} s; is a process with the role webhook running?",
                WAIT_MAX.as_secs()
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
    let mut fields = reason_field(args.reason);
    fields.insert("allTriggers".to_owned(), json!(args.all_triggers));
    args.bulk.run(client, "/v1/deliveries/replay", "deliveries", fields).await
}
