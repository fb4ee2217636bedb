//! A node that freezes for longer than its leases and then wakes up: what it still does is worth nothing.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, Target, until};

const DEADLINE: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i02_a_frozen_node_that_wakes_up_writes_nothing() {
    let database = Database::postgres().await;
    let target = Target::hanging().await;
    let allow = target.allow();
    let settings = [
        ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "5s"),
        ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE", "5s"),
        ("TRUNKLINE_EGRESS__ALLOW", allow.as_str()),
    ];
    let frozen = Server::start_with(&database, &settings).await;
    let request = json!({"method": "GET", "url": format!("{}/slow", target.url())});
    let workflow = json!({"name": "caller", "version": 1, "nodes": [
        {"id": "call", "type": "HTTP", "request": request, "timeout": "1m"},
    ]});
    frozen.client().post("/v1/workflows", &workflow).await;
    let execution = frozen.client().post("/v1/executions", &json!({"workflow": "caller"})).await;
    let execution = format!("/v1/executions/{}", execution["id"].as_str().expect("an id"));
    until("the target is called", DEADLINE, || async { (target.calls() == 1).then_some(()) }).await;
    frozen.signal("STOP");

    // The other node takes over both the execution and its job once their leases have ended.
    let heir = Server::start_with(&database, &settings).await;
    let client = heir.client();
    until("the target is called again", DEADLINE, || async { (target.calls() == 2).then_some(()) }).await;
    target.answer();
    let ended = client.get(&format!("{execution}?wait=true&timeout=20s")).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
    let before = everything(&heir, &execution).await;
    let attempts: Vec<Value> = before["job"]["attempts"]
        .as_array()
        .expect("attempts")
        .iter()
        .map(|one| one["status"].clone())
        .collect();
    assert_eq!(attempts, ["WORKER_LOST", "COMPLETED"], "{before}");

    // The frozen node has the answer to its call waiting, and wakes up to report it.
    frozen.signal("CONT");
    until("it noticed that its leases are lost", DEADLINE, || async {
        noticed_a_loss(&frozen).await.then_some(())
    })
    .await;
    assert_eq!(everything(&heir, &execution).await, before, "the zombie changed nothing");
    let other =
        frozen.client().post("/v1/executions?wait=true&timeout=20s", &json!({"workflow": "caller"})).await;
    assert_eq!(other["status"], "COMPLETED", "{other}");
}

/// Whether the node serves again, and counted a lost lease.
async fn noticed_a_loss(node: &Server) -> bool {
    let metrics = Client::new(&node.metrics_url(), None).try_get("/metrics").await;
    let counts =
        |line: &str| line.starts_with("trunkline_lease_lost_total") && line.contains("workflow-node");
    let lost = metrics.text.lines().any(|line| counts(line) && !line.ends_with(" 0"));
    lost && node.client().try_get("/readyz").await.status == 200
}

/// All that there is to say about the first execution.
async fn everything(server: &Server, execution: &str) -> Value {
    let client = server.client();
    let (whole, events) = (client.get(execution).await, client.all(&format!("{execution}/events")).await);
    let id = whole["id"].as_str().expect("an id");
    let jobs = client.all(&format!("/v1/jobs?queue=workflow-node&executionId={id}")).await;
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    let job = client.get(&format!("/v1/jobs/{}", jobs[0]["id"].as_str().expect("an id"))).await;
    json!({ "execution": whole, "events": events, "job": job })
}
