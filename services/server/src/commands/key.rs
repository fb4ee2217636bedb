//! `trunkline key`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use domain::id::KeyKind;
use serde_json::{Value, json};

use crate::client::{Client, api_path, id};
use crate::output::{out, table};

/// Makes and revokes API keys.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "a run of the program has one")]
pub(crate) enum KeyCommand {
    /// Make a key; it is shown once
    Create {
        /// What to call it
        name: String,
        /// admin, operator, client, worker or viewer
        #[arg(long, default_value = "client")]
        role: String,
        /// Bind it to this tenant
        #[arg(long)]
        tenant: Option<String>,
        /// What it may do of what its role may, such as jobs.enqueue or '*.read'; all of it if left out
        #[arg(long = "action", value_name = "ACTION")]
        actions: Vec<String>,
        /// Only on these job types; a name may end in *
        #[arg(long = "job-type", value_name = "NAME", requires = "actions")]
        job_types: Vec<String>,
        /// Only on these workflows
        #[arg(long = "workflow", value_name = "NAME", requires = "actions")]
        workflows: Vec<String>,
        /// Only on these queues
        #[arg(long = "queue", value_name = "NAME", requires = "actions")]
        queues: Vec<String>,
        /// Only for these tenants; '*' for polling all of them at once
        #[arg(long = "for-tenant", value_name = "NAME", requires = "actions")]
        tenants: Vec<String>,
        /// From when on it no longer works, as 2027-01-31T00:00:00Z
        #[arg(long, value_name = "INSTANT")]
        expires_at: Option<String>,
        /// A network that it may be used from, such as 10.0.0.0/8
        #[arg(long = "network", value_name = "NETWORK")]
        networks: Vec<String>,
        /// Whether answers to it hold payloads; those to a key that can only read do not, if left out
        #[arg(long, value_name = "true|false")]
        payloads: Option<bool>,
        /// The person that it stands for in user tasks
        #[arg(long, value_name = "NAME")]
        person: Option<String>,
        /// A group that it belongs to in user tasks
        #[arg(long = "group", value_name = "NAME")]
        groups: Vec<String>,
    },
    /// Give a key another secret; it is shown once
    Rotate {
        /// The key's id
        #[arg(value_parser = id::<KeyKind>)]
        id: String,
        /// How long the secret of before holds
        #[arg(long, default_value = "24h", value_name = "DURATION")]
        overlap: String,
    },
    /// List keys
    List,
    /// Revoke a key
    Revoke {
        /// The key's id
        #[arg(value_parser = id::<KeyKind>)]
        id: String,
    },
}

/// What is asked of the server.
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

/// Runs the verb.
pub(crate) async fn run(command: KeyCommand, client: &Client) -> Result<ExitCode> {
    match command {
        create @ KeyCommand::Create { .. } => {
            let answer = client.post("/v1/api-keys", &body_of(create)).await?;
            table::print_object(client.json, &answer, &[("id", "/id"), ("key", "/key")]);
        }
        KeyCommand::Rotate { id, overlap } => {
            let answer =
                client.post(&api_path!("api-keys", id, "rotate"), &json!({ "overlap": overlap })).await?;
            let columns = [("id", "/id"), ("key", "/key"), ("previous until", "/previousUntil")];
            table::print_object(client.json, &answer, &columns);
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
            table::print_list(client.json, &client.get("/v1/api-keys").await?, &columns);
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
