//! `trunkline key`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use domain::id::KeyKind;
use serde_json::{Value, json};

use crate::client::{Client, api_path, id};
use crate::commands::choices::{queues, roles};
use crate::output;
use crate::output::out;

/// Manages API keys.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "a run of the program has one")]
pub(crate) enum KeyCommand {
    /// Create an API key; the secret is shown only once
    Create {
        /// Name of the key
        name: String,
        /// Role
        #[arg(long, default_value = "client", value_parser = roles())]
        role: String,
        /// Bind the key to this tenant
        #[arg(long)]
        tenant: Option<String>,
        /// Allowed operations, such as jobs.enqueue or '*.read' (default: all of the role)
        #[arg(long = "action", value_name = "ACTION")]
        actions: Vec<String>,
        /// Allowed job types; a name may end in *
        #[arg(long = "job-type", value_name = "NAME", requires = "actions")]
        job_types: Vec<String>,
        /// Allowed workflows; a name may end in *
        #[arg(long = "workflow", value_name = "NAME", requires = "actions")]
        workflows: Vec<String>,
        /// Allowed queues; a name may end in *
        #[arg(long = "queue", value_name = "NAME", requires = "actions", value_parser = queues().or_prefix())]
        queues: Vec<String>,
        /// Allowed tenants; '*' allows polling across all tenants
        #[arg(long = "for-tenant", value_name = "NAME", requires = "actions")]
        tenants: Vec<String>,
        /// Expiry time, such as 2027-01-31T00:00:00Z
        #[arg(long, value_name = "INSTANT")]
        expires_at: Option<String>,
        /// Allowed client network, such as 10.0.0.0/8
        #[arg(long = "network", value_name = "NETWORK")]
        networks: Vec<String>,
        /// Whether responses include payloads (default: false for read-only keys, true for others)
        #[arg(long, value_name = "true|false")]
        payloads: Option<bool>,
        /// User that the key represents in user tasks
        #[arg(long, value_name = "NAME")]
        person: Option<String>,
        /// Group that the key belongs to in user tasks
        #[arg(long = "group", value_name = "NAME")]
        groups: Vec<String>,
    },
    /// Rotate the secret of an API key; the new secret is shown only once
    Rotate {
        /// API key ID
        #[arg(value_parser = id::<KeyKind>)]
        id: String,
        /// How long the previous secret stays valid
        #[arg(long, default_value = "24h", value_name = "DURATION")]
        overlap: String,
    },
    /// List API keys
    List,
    /// Revoke an API key
    Revoke {
        /// API key ID
        #[arg(value_parser = id::<KeyKind>)]
        id: String,
    },
}

/// The request to the server.
fn body_of(create: KeyCommand) -> Value {
    let KeyCommand::Create {
        name,
        role,
        tenant,
        actions,
        job_types,
        workflows,
        queues,
        tenants,
        expires_at,
        networks,
        payloads,
        person,
        groups,
    } = create
    else {
        return Value::Null;
    };
    let mut body = json!({ "name": name, "role": role, "networks": networks, "groups": groups });
    let optional = [
        ("tenant", tenant.map(Value::from)),
        ("expiresAt", expires_at.map(Value::from)),
        ("payloads", payloads.map(Value::from)),
        ("person", person.map(Value::from)),
    ];
    for (field, value) in optional {
        if let Some(value) = value {
            body[field] = value;
        }
    }
    if !actions.is_empty() {
        body["scopes"] = json!([{
            "actions": actions,
            "jobTypes": job_types,
            "workflows": workflows,
            "queues": queues,
            "tenants": tenants,
        }]);
    }
    body
}

/// Runs the command.
pub(crate) async fn run(command: KeyCommand, client: &Client) -> Result<ExitCode> {
    match command {
        create @ KeyCommand::Create { .. } => {
            let answer = client.post("/v1/api-keys", &body_of(create)).await?;
            output::print_object(client.json, &answer, &[("id", "/id"), ("key", "/key")]);
        }
        KeyCommand::Rotate { id, overlap } => {
            let answer =
                client.post(&api_path!("api-keys", id, "rotate"), &json!({ "overlap": overlap })).await?;
            let columns = [("id", "/id"), ("key", "/key"), ("previous until", "/previousUntil")];
            output::print_object(client.json, &answer, &columns);
        }
        KeyCommand::List => {
            let columns = [
                ("ID", "/id"),
                ("NAME", "/name"),
                ("ROLE", "/role"),
                ("TENANT", "/tenant"),
                ("PREFIX", "/prefix"),
                ("LAST USED", "/lastUsedAt"),
                ("EXPIRES", "/expiresAt"),
                ("REVOKED", "/revokedAt"),
            ];
            output::print_list(client.json, &client.get("/v1/api-keys").await?, &columns);
        }
        KeyCommand::Revoke { id } => {
            client.delete(&api_path!("api-keys", id)).await?;
            if !client.json {
                out!("{id} revoked");
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
