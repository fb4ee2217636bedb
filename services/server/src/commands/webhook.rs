//! `trunkline webhook`: the verbs of endpoints and deliveries, the bodies that they send, and samples signed here.

mod body;
mod deliveries;
mod sample;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use domain::id::{DeliveryKind, WebhookKind};
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path, id, query};
use crate::commands::choices::providers;
use crate::output;
use crate::output::{out, shown};
use body::{SecretArgs, WebhookArgs, kept};
use deliveries::{DeliveriesArgs, ReplayArgs};
use sample::TestArgs;

// The verbs of `trunkline webhook`.

/// Manages inbound webhooks.
#[derive(Debug, Subcommand)]
pub(crate) enum WebhookCommand {
    /// List webhooks, newest first
    List(ListArgs),
    /// Create a webhook; a secret that the server generates is shown only once
    Create(CreateArgs),
    /// Update a webhook; omitted fields stay unchanged
    Update(UpdateArgs),
    /// Show a webhook, without its secrets
    Show {
        /// Webhook ID
        #[arg(value_parser = id::<WebhookKind>)]
        id: String,
    },
    /// Rotate the secret of a webhook; old and new secrets are both valid during the overlap
    RotateSecret(RotateArgs),
    /// Send a signed test delivery, which starts workflows like any other delivery
    Test(TestArgs),
    /// Pause a webhook: deliveries are stored and held until it is resumed
    Pause {
        /// Webhook ID
        #[arg(value_parser = id::<WebhookKind>)]
        id: String,
    },
    /// Resume a webhook
    Resume {
        /// Webhook ID
        #[arg(value_parser = id::<WebhookKind>)]
        id: String,
    },
    /// List deliveries, newest first
    Deliveries(Box<DeliveriesArgs>),
    /// Show a delivery with its body
    Delivery {
        /// Delivery ID
        #[arg(value_parser = id::<DeliveryKind>)]
        id: String,
        /// Wait until the triggers are evaluated
        #[arg(long)]
        wait: bool,
    },
    /// Replay one or more deliveries against the current triggers
    Replay(Box<ReplayArgs>),
    /// Delete a webhook and its secrets; its deliveries are kept
    Delete {
        /// Webhook ID
        #[arg(value_parser = id::<WebhookKind>)]
        id: String,
    },
}

/// Arguments of `webhook list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Filter by tenant
    #[arg(long)]
    tenant: Option<String>,
    /// Maximum number of results
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Start after this cursor, from the previous page
    #[arg(long)]
    cursor: Option<String>,
}

/// Arguments of `webhook create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// Name
    #[arg(long)]
    name: String,
    /// Provider
    #[arg(long, value_parser = providers())]
    provider: String,
    #[command(flatten)]
    webhook: WebhookArgs,
    /// Create it paused
    #[arg(long)]
    paused: bool,
    /// Tenant, for keys that are not bound to one
    #[arg(long)]
    tenant: Option<String>,
}

/// Arguments of `webhook update`.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// Webhook ID
    #[arg(value_parser = id::<WebhookKind>)]
    id: String,
    /// New name
    #[arg(long)]
    name: Option<String>,
    /// New provider
    #[arg(long, value_parser = providers())]
    provider: Option<String>,
    #[command(flatten)]
    webhook: WebhookArgs,
}

/// Arguments of `webhook rotate-secret`.
#[derive(Debug, Args)]
pub(crate) struct RotateArgs {
    /// Webhook ID
    #[arg(value_parser = id::<WebhookKind>)]
    id: String,
    #[command(flatten)]
    secret: SecretArgs,
    /// How long the current secrets stay valid, such as 24h
    #[arg(long, value_name = "DURATION")]
    overlap: Option<String>,
    /// Rotate Meta's verify token instead of the signing secret
    #[arg(long)]
    verify_token: bool,
}

/// Runs the command.
pub(crate) async fn run(command: WebhookCommand, client: &Client) -> Result<ExitCode> {
    match command {
        WebhookCommand::List(args) => list(args, client).await?,
        WebhookCommand::Create(args) => create(args, client).await?,
        WebhookCommand::Update(args) => update(args, client).await?,
        WebhookCommand::Show { id } => print(client, &client.get(&api_path!("webhooks", id)).await?),
        WebhookCommand::RotateSecret(args) => rotate_secret(args, client).await?,
        WebhookCommand::Test(args) => {
            let delivery = sample::test(&args, client).await?;
            if args.wait {
                return deliveries::show(client, &delivery, true).await;
            }
        }
        WebhookCommand::Pause { id } => print(client, &act(client, &id, "pause").await?),
        WebhookCommand::Resume { id } => print(client, &act(client, &id, "resume").await?),
        WebhookCommand::Deliveries(args) => deliveries::list(*args, client).await?,
        WebhookCommand::Delivery { id, wait } => return deliveries::show(client, &id, wait).await,
        WebhookCommand::Replay(args) => return deliveries::replay(*args, client).await,
        WebhookCommand::Delete { id } => {
            client.delete(&api_path!("webhooks", id)).await?;
            if !client.json {
                out!("{id} deleted");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn act(client: &Client, id: &str, verb: &str) -> Result<Value> {
    Ok(client.post(&api_path!("webhooks", id, verb), &json!({})).await?)
}

async fn list(args: ListArgs, client: &Client) -> Result<()> {
    let limit = Some(args.limit.to_string());
    let path = query("/v1/webhooks", &[("tenant", args.tenant), ("limit", limit), ("cursor", args.cursor)]);
    let columns = [
        ("ID", "/id"),
        ("NAME", "/name"),
        ("PROVIDER", "/provider"),
        ("WORKFLOW", "/triggers/0/workflow"),
        ("PAUSED", "/paused"),
        ("TENANT", "/tenant"),
    ];
    output::print_list(client.json, &client.get(&path).await?, &columns);
    Ok(())
}

async fn create(args: CreateArgs, client: &Client) -> Result<()> {
    let mut fields = Map::new();
    fields.insert("name".into(), json!(args.name));
    fields.insert("provider".into(), json!(args.provider));
    if args.paused {
        fields.insert("paused".into(), json!(true));
    }
    if let Some(tenant) = args.tenant {
        fields.insert("tenant".into(), json!(tenant));
    }
    let answer = client.post("/v1/webhooks", &args.webhook.body(fields)?).await?;
    print(client, &answer);
    Ok(())
}

/// Reads the endpoint, applies the given fields and replaces it, unless it has changed in the meantime.
async fn update(args: UpdateArgs, client: &Client) -> Result<()> {
    let path = api_path!("webhooks", args.id);
    let mut fields = kept(&client.get(&path).await?);
    for (name, value) in [("name", args.name), ("provider", args.provider)] {
        if let Some(value) = value {
            fields.insert(name.into(), json!(value));
        }
    }
    let answer = client.put(&path, &args.webhook.body(fields)?).await?;
    print(client, &answer);
    Ok(())
}

async fn rotate_secret(args: RotateArgs, client: &Client) -> Result<()> {
    let mut body = Map::new();
    if let Some(secret) = args.secret.read()? {
        body.insert("secret".into(), json!(secret));
    }
    if let Some(overlap) = args.overlap {
        body.insert("overlap".into(), json!(overlap));
    }
    if args.verify_token {
        body.insert("purpose".into(), json!("verifyToken"));
    }
    let path = api_path!("webhooks", args.id, "rotate-secret");
    let answer = client.post(&path, &Value::Object(body)).await?;
    if client.json {
        output::print_json(&answer);
    } else {
        print_made(&answer);
        print_secrets(&answer["webhook"]["secrets"]);
    }
    Ok(())
}

fn print(client: &Client, webhook: &Value) {
    let columns = [
        ("id", "/id"),
        ("name", "/name"),
        ("provider", "/provider"),
        ("verified", "/verified"),
        ("url", "/url"),
        ("full url", "/fullUrl"),
        ("public url", "/publicUrl"),
        ("scheme", "/scheme"),
        ("dedupe", "/dedupe"),
        ("rate limit", "/rateLimit"),
        ("largest body", "/maxBodyEffective"),
        ("answers", "/respondWith"),
        ("paused", "/paused"),
        ("triggers", "/triggers"),
        ("tenant", "/tenant"),
        ("version", "/version"),
        ("created", "/createdAt"),
        ("updated", "/updatedAt"),
    ];
    output::print_object(client.json, webhook, &columns);
    if client.json {
        return;
    }
    print_secrets(&webhook["secrets"]);
    for warning in webhook["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        out!("warning: {}", shown(warning));
    }
    print_made(webhook);
}

fn print_secrets(secrets: &Value) {
    for secret in secrets.as_array().into_iter().flatten() {
        let word = |name: &str| secret[name].as_str().unwrap_or_default();
        let until =
            secret["expiresAt"].as_str().map(|end| format!(", valid until {end}")).unwrap_or_default();
        out!("{} secret {} of {}{until}", word("purpose"), word("id"), word("createdAt"));
    }
}

/// Generated secrets, which cannot be read again.
fn print_made(answer: &Value) {
    for (field, what) in [("secret", "secret"), ("verifyToken", "verify token")] {
        if let Some(text) = answer[field].as_str() {
            out!("{what} (shown only once; configure it at the sender): {text}");
        }
    }
}
