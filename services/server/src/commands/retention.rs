//! `trunkline retention`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::client::{Client, api_path};
use crate::output;

/// Shows and changes how long things are kept.
#[derive(Debug, Subcommand)]
pub(crate) enum RetentionCommand {
    /// Show how long finished work, logs and payloads are kept
    Show {
        /// Tenant (default: the values for tenants without their own)
        #[arg(long, value_name = "TENANT")]
        tenant: Option<String>,
    },
    /// Change how long finished work, logs and payloads are kept
    #[command(
        after_help = "Example: trunkline retention set --tenant acme workflow-node.completed=7d archive=default"
    )]
    Set {
        /// Tenant (default: the values for tenants without their own)
        #[arg(long, value_name = "TENANT")]
        tenant: Option<String>,
        /// Name, as listed by `show`, and a duration such as 30d, or `default`
        #[arg(required = true, value_name = "NAME=DURATION", value_parser = edit)]
        edits: Vec<Edit>,
    },
}

/// What is kept, and for how long; null stands for the default.
#[derive(Debug, Clone)]
pub(crate) struct Edit {
    name: String,
    kept: Value,
}

fn edit(text: &str) -> Result<Edit, String> {
    let (name, kept) = text.split_once('=').ok_or("expected NAME=DURATION")?;
    let kept = if kept == "default" { Value::Null } else { Value::from(kept) };
    Ok(Edit { name: name.to_owned(), kept })
}

/// Runs the command.
pub(crate) async fn run(command: RetentionCommand, client: &Client) -> Result<ExitCode> {
    let answer = match command {
        RetentionCommand::Show { tenant } => client.get(&path(tenant.as_deref())).await?,
        RetentionCommand::Set { tenant, edits } => {
            client.put(&path(tenant.as_deref()), &Value::Object(body(edits))).await?
        }
    };
    if client.json {
        output::print_json(&answer);
    } else {
        let columns =
            [("NAME", "/name"), ("KEPT", "/set"), ("EFFECTIVE", "/effective"), ("SOURCE", "/source")];
        output::print_rows(&rows(&answer), &columns);
    }
    Ok(ExitCode::SUCCESS)
}

fn path(tenant: Option<&str>) -> String {
    match tenant {
        Some(tenant) => api_path!("tenants", tenant, "retention"),
        None => api_path!("retention"),
    }
}

/// `workflow-node.completed` stands below its queue.
fn body(edits: Vec<Edit>) -> Map<String, Value> {
    let mut body = Map::new();
    for Edit { name, kept } in edits {
        match name.split_once('.') {
            Some((queue, field)) => {
                let of_queue = body.entry(queue).or_insert_with(|| json!({}));
                if let Some(of_queue) = of_queue.as_object_mut() {
                    of_queue.insert(field.to_owned(), kept);
                }
            }
            None => {
                body.insert(name, kept);
            }
        }
    }
    body
}

/// A row for each kind of thing.
fn rows(answer: &Value) -> Vec<Value> {
    let mut names = Vec::new();
    for (name, value) in answer["source"].as_object().into_iter().flatten() {
        match value.as_object() {
            Some(of_queue) => names.extend(of_queue.keys().map(|field| format!("{name}.{field}"))),
            None if value.is_null() => {}
            None => names.push(name.clone()),
        }
    }
    let row = |name: &String| {
        let pointer = format!("/{}", name.replace('.', "/"));
        let at = |of: &Value| of.pointer(&pointer).cloned().unwrap_or_default();
        json!({
            "name": name, "set": at(answer), "effective": at(&answer["effective"]), "source": at(&answer["source"]),
        })
    };
    names.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_queue_stand_below_it() {
        let edits = ["workflow-node.completed=7d", "archive=default", "workflow-node.failed=9d"];
        let edits: Vec<Edit> = edits.iter().map(|text| edit(text).expect("it is one")).collect();
        let expected = json!({"workflow-node": {"completed": "7d", "failed": "9d"}, "archive": null});
        assert_eq!(Value::Object(body(edits)), expected);
        assert!(edit("archive").is_err());
    }
}
