//! SIGTERM: the server stops claiming, waits a while, gives back what is not done without counting an attempt, and
//! ends well. What was under way goes on after the next start, without waiting for a lease to run out.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{
    Client, Database, Record, Server, Target, Worker, WorkerSetup, on_both_databases, until,
};

const DEADLINE: Duration = Duration::from_secs(30);

on_both_databases!(
    sigterm_drains_without_consuming_an_attempt,
    sigterm_waits_for_work_that_ends_in_time,
    executions_under_way_go_on_after_a_restart,
);

fn call_of(target: &Target) -> Value {
    let request = json!({"method": "GET", "url": format!("{}/slow", target.url())});
    json!({"name": "caller", "version": 1, "nodes": [
        {"id": "call", "type": "HTTP", "request": request, "timeout": "25s"},
    ]})
}

/// Starts a server whose leases outlive the test: what it does not give back stays lost.
async fn start(database: &Database, target: &Target, drain: &str) -> Server {
    let settings = [
        ("TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE", "10m"),
        ("TRUNKLINE_QUEUES__WORKFLOW_EXECUTION__LEASE", "10m"),
        ("TRUNKLINE_WORKERS__DRAIN_TIMEOUT", drain),
        ("TRUNKLINE_EGRESS__ALLOW", &target.allow()),
    ];
    Server::start_with(database, &settings).await
}

async fn start_call(client: &Client, target: &Target) -> String {
    client.post("/v1/workflows", &call_of(target)).await;
    let execution = client.post("/v1/executions", &json!({"workflow": "caller"})).await;
    until("the target is called", DEADLINE, || async { (target.calls() == 1).then_some(()) }).await;
    execution["id"].as_str().expect("an id").to_owned()
}

async fn node_job(client: &Client) -> Value {
    let jobs = client.all("/v1/jobs?queue=workflow-node").await;
    assert_eq!(jobs.len(), 1, "{jobs:?}");
    client.get(&format!("/v1/jobs/{}", jobs[0]["id"].as_str().expect("an id"))).await
}

async fn sigterm_drains_without_consuming_an_attempt(database: Database) {
    let target = Target::hanging().await;
    let mut server = start(&database, &target, "300ms").await;
    let client = server.client();
    let execution = start_call(&client, &target).await;
    let status = server.terminate(DEADLINE).await;
    assert_eq!(status.code(), Some(0), "the end of a drain is a good one");

    server.restart().await;
    until("the target is called again", DEADLINE, || async { (target.calls() == 2).then_some(()) }).await;
    let job = node_job(&client).await;
    assert_eq!((&job["status"], &job["retryCount"]), (&json!("PROCESSING"), &json!(0)), "{job}");
    target.answer();
    let ended = client.get(&format!("/v1/executions/{execution}?wait=true&timeout=20s")).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
    let job = node_job(&client).await;
    let attempts = job["attempts"].as_array().expect("attempts");
    assert_eq!(attempts.len(), 1, "the drain gave the attempt back: {job}");
    assert_eq!(
        (&attempts[0]["attemptNumber"], &attempts[0]["status"]),
        (&json!(1), &json!("COMPLETED")),
        "{job}"
    );
}

async fn sigterm_waits_for_work_that_ends_in_time(database: Database) {
    let target = Target::hanging().await;
    let mut server = start(&database, &target, "20s").await;
    let client = server.client();
    let execution = start_call(&client, &target).await;
    server.signal("TERM");
    until("the drain begins", DEADLINE, || async {
        let answer = client.call(reqwest::Method::GET, "/readyz").send().await;
        answer.map_or(true, |answer| answer.status == 503).then_some(())
    })
    .await;
    target.answer();
    assert_eq!(server.ended(DEADLINE).await.code(), Some(0));

    server.restart().await;
    let ended = client.get(&format!("/v1/executions/{execution}?wait=true&timeout=20s")).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
    assert_eq!(target.calls(), 1, "the answer that came during the drain was kept");
}

async fn executions_under_way_go_on_after_a_restart(database: Database) {
    let target = Target::open().await;
    let mut server = start(&database, &target, "5s").await;
    let client = server.client();
    let workflow = json!({"name": "two", "version": 1, "nodes": [
        {"id": "one", "type": "SERVICE_TASK", "jobType": "one"},
        {"id": "two", "type": "SERVICE_TASK", "jobType": "two", "dependsOn": ["one"]},
    ]});
    client.post("/v1/workflows", &workflow).await;
    let mut executions = Vec::new();
    for _ in 0..3 {
        let execution = client.post("/v1/executions", &json!({"workflow": "two"})).await;
        executions.push(execution["id"].as_str().expect("an id").to_owned());
    }
    let record = Record::new();
    let first = Worker::start(client.clone(), WorkerSetup::echo("first", &["one"]), record.clone());
    until("the first step of each is done", DEADLINE, || async { (record.ok_count() == 3).then_some(()) })
        .await;
    first.stop().await;
    assert_eq!(server.terminate(DEADLINE).await.code(), Some(0));

    server.restart().await;
    let second = Worker::start(client.clone(), WorkerSetup::echo("second", &["one", "two"]), record.clone());
    for execution in executions {
        let ended = client.get(&format!("/v1/executions/{execution}?wait=true&timeout=20s")).await;
        assert_eq!(ended["status"], "COMPLETED", "{ended}");
    }
    second.stop().await;
    assert_eq!(record.runs().len(), 6, "every step ran once: {:#?}", record.runs());
}
