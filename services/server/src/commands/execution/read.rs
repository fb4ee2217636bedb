//! Look at executions.

use anyhow::Result;
use serde_json::Value;

use crate::client::{Client, api_path, query};
use crate::commands::find::{ListArgs, OfExecutions};
use crate::output::out;
use crate::output::table::{self, Column};

/// Of nodes.
const NODE_COLUMNS: [Column; 8] = [
    ("NODE", "/nodeId"),
    ("TYPE", "/type"),
    ("STATUS", "/status"),
    ("ATTEMPTS", "/attempts"),
    ("STARTED", "/startedAt"),
    ("FINISHED", "/finishedAt"),
    ("WAITS FOR", "/waitsFor/detail"),
    ("ERROR", "/error/message"),
];

/// Lists executions.
pub(super) async fn list(args: ListArgs<OfExecutions>, client: &Client) -> Result<()> {
    let columns = [
        ("ID", "/id"),
        ("WORKFLOW", "/workflow"),
        ("VERSION", "/version"),
        ("STATUS", "/status"),
        ("TENANT", "/tenant"),
        ("CREATED", "/createdAt"),
        ("COMPLETED", "/completedAt"),
    ];
    args.print(client, "/v1/executions", &columns).await
}

/// Shows an execution with its nodes and timeline.
pub(super) async fn show(client: &Client, id: &str) -> Result<()> {
    let mut execution = client.get(&api_path!("executions", id)).await?;
    let nodes = client.get(&api_path!("executions", id, "nodes")).await?;
    let events = client.get(&format!("{}?limit=500", api_path!("executions", id, "events"))).await?;
    if client.json {
        execution["nodes"] = nodes["items"].clone();
        execution["events"] = events["items"].clone();
        table::print_json(&execution);
        return Ok(());
    }
    let columns = [
        ("id", "/id"),
        ("workflow", "/workflow"),
        ("version", "/version"),
        ("status", "/status"),
        ("tenant", "/tenant"),
        ("started by", "/trigger/kind"),
        ("parent", "/parent/executionId"),
        ("created", "/createdAt"),
        ("started", "/startedAt"),
        ("completed", "/completedAt"),
        ("input", "/input"),
        ("output", "/output"),
        ("error", "/error/message"),
    ];
    table::print_object(false, &execution, &columns);
    out!("\nNodes");
    let mut nodes = items(&nodes).to_vec();
    let mut columns = NODE_COLUMNS.to_vec();
    if put_places(client, &execution, &mut nodes).await {
        columns.push(("SOURCE", "/source"));
    }
    table::print_rows(&nodes, &columns);
    out!("\nTimeline");
    table::print_rows(
        items(&events),
        &[("AT", "/at"), ("EVENT", "/kind"), ("NODE", "/nodeId"), ("DETAIL", "/detail")],
    );
    Ok(())
}

/// Puts beside each node where it is in the source of its workflow. Answers whether that is known of any.
async fn put_places(client: &Client, execution: &Value, nodes: &mut [Value]) -> bool {
    let (name, version) =
        (execution["workflow"].as_str().unwrap_or_default(), execution["version"].to_string());
    let tenant = execution["tenant"].as_str().map(str::to_owned);
    let path = query(&api_path!("workflows", name, "versions", version), &[("tenant", tenant)]);
    // Only more to read: whoever may not see the workflow sees its execution as before.
    let Ok(version) = client.get(&path).await else { return false };
    let mut is_known = false;
    for node in nodes {
        let place = &version["source"][node["nodeId"].as_str().unwrap_or_default()];
        if let (Some(file), Some(line)) = (place["file"].as_str(), place["line"].as_u64()) {
            node["source"] = Value::from(format!("{file}:{line}"));
            is_known = true;
        }
    }
    is_known
}

/// Lists the nodes of an execution.
pub(super) async fn nodes(client: &Client, id: &str, with_items: bool) -> Result<()> {
    let nodes = client.get(&format!("{}?items={with_items}", api_path!("executions", id, "nodes"))).await?;
    table::print_list(client.json, &nodes, &NODE_COLUMNS);
    if client.json {
        return Ok(());
    }
    for node in items(&nodes) {
        let name = node["nodeId"].as_str().unwrap_or_default();
        if let Some(url) = node["callbackUrl"].as_str() {
            out!("{name} takes a request at {url}");
        }
        if let Some(map) = node["mapItems"].as_object() {
            out!(
                "{name}: {} items, {} started, {} completed",
                map["total"],
                map["started"],
                map["completed"]
            );
        }
    }
    Ok(())
}

/// Explains what an execution waits for.
pub(super) async fn why(client: &Client, id: &str) -> Result<()> {
    let why = client.get(&api_path!("executions", id, "why")).await?;
    let columns = [("status", "/status"), ("reason", "/reason"), ("detail", "/detail")];
    table::print_object(client.json, &why, &columns);
    let waits = why["waitsFor"].as_array().map_or(&[][..], Vec::as_slice);
    if !client.json && !waits.is_empty() {
        out!();
        let columns = [
            ("NODE", "/nodeId"),
            ("TYPE", "/type"),
            ("WAITS FOR", "/reason"),
            ("UNTIL", "/until"),
            ("DETAIL", "/detail"),
        ];
        table::print_rows(waits, &columns);
    }
    Ok(())
}

fn items(answer: &Value) -> &[Value] {
    answer["items"].as_array().map_or(&[], Vec::as_slice)
}

/// Shows what became of a command.
pub(super) async fn command(client: &Client, position: u64) -> Result<()> {
    let command = client.get(&api_path!("commands", position)).await?;
    let columns = [
        ("position", "/position"),
        ("execution", "/executionId"),
        ("intent", "/intent"),
        ("status", "/status"),
        ("reason", "/reason"),
        ("step", "/step"),
    ];
    table::print_object(client.json, &command, &columns);
    Ok(())
}
