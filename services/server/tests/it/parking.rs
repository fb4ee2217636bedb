//! Executions that only wait: they give their slots back, survive `kill -9` where they are, cost a start nothing, and
//! their timers are on time. What becomes of executions is counted.

use std::time::Duration;

use domain::time::Timestamp;
use serde_json::{Value, json};

use crate::harness::{Client, Database, STEPS, Server, beside_calls, on_both_databases, until};

const DEADLINE: Duration = Duration::from_mins(1);
const SECOND: Duration = Duration::from_secs(1);

const EXECUTIONS: usize = 50;

on_both_databases!(
    fifty_parked_executions_share_one_slot,
    parked_executions_stay_where_they_are_over_a_kill,
    timers_fire_within_a_second,
    turns_and_ends_of_executions_are_counted,
    failures_and_what_follows_them_are_counted,
);

fn waiting() -> Value {
    json!({"name": "waiting", "version": 1, "output": "${nodes.go.output}", "nodes": [
        {"id": "go", "type": "SIGNAL", "signal": "go"}]})
}

async fn start_all(client: &Client) -> Vec<String> {
    client.post("/v1/workflows", &waiting()).await;
    let executions = json!({ "executions": vec![json!({"workflow": "waiting"}); EXECUTIONS] });
    let answer = client.post("/v1/executions/batch", &executions).await;
    let results = answer["results"].as_array().expect("results");
    results.iter().map(|one| one["id"].as_str().expect("an id").to_owned()).collect()
}

async fn all_are(client: &Client, status: &str) {
    until(&format!("all are {status}"), DEADLINE, || async {
        let listed = client.all(&format!("/v1/executions?status={status}")).await;
        (listed.len() == EXECUTIONS).then_some(())
    })
    .await;
}

/// Ends what waits still, each with an output of its own.
async fn signal_all(client: &Client, ids: &[String]) {
    for (number, id) in ids.iter().enumerate() {
        client.post(&format!("/v1/executions/{id}/signals/go"), &json!({ "payload": number })).await;
    }
    all_are(client, "COMPLETED").await;
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(client.get(&format!("/v1/executions/{id}")).await["output"], number);
    }
}

/// The slots in use, over all tiers.
async fn processing(client: &Client) -> u64 {
    let queue = client.get("/v1/queues/workflow-execution").await;
    let tiers = queue["tiers"].as_object().expect("tiers");
    tiers.values().map(|tier| tier["processing"].as_u64().expect("a number")).sum()
}

async fn fifty_parked_executions_share_one_slot(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let one = json!({"maxConcurrent": 1, "tenantMaxConcurrent": 1, "workflowMaxConcurrent": 1});
    client.put("/v1/limits", &json!({ "workflow-execution": one })).await;
    let ids = start_all(&client).await;
    all_are(&client, "WAITING").await;
    assert_eq!(processing(&client).await, 0, "what only waits holds no slot");
    let job = client.get(&format!("/v1/executions/{}", ids[0])).await["jobId"].clone();
    let job = client.get(&format!("/v1/jobs/{}", job.as_str().expect("an id"))).await;
    assert_eq!(job["status"], "WAITING", "{job}");
    signal_all(&client, &ids).await;
}

async fn parked_executions_stay_where_they_are_over_a_kill(database: Database) {
    let mut server = Server::start(&database).await;
    let client = server.client();
    let ids = start_all(&client).await;
    all_are(&client, "WAITING").await;
    server.kill_nine();
    server.restart().await;
    assert_eq!(processing(&client).await, 0);
    // One that is taken up shows that the pool runs, and that the others were left alone.
    client.post(&format!("/v1/executions/{}/signals/go", ids[0]), &json!({"payload": 0})).await;
    let ended = client.get(&format!("/v1/executions/{}?wait=true", ids[0])).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
    assert_eq!(claimed(&server).await, 1, "a start takes up nothing that waits");
    assert_eq!(client.all("/v1/executions?status=WAITING").await.len(), EXECUTIONS - 1);
    signal_all(&client, &ids[1..]).await;
}

/// How many executions this process has taken up.
async fn claimed(server: &Server) -> u64 {
    counted(server, "jobs_claimed_total", &["workflow-execution"]).await
}

/// What a metric of this process has counted under labels with all of these values; nothing where there is no line of it yet.
async fn counted(server: &Server, name: &str, values: &[&str]) -> u64 {
    server.metric(name, values).await.unwrap_or(0.0) as u64
}

/// Three executions are parked: one is cancelled without an owner, the others end in a turn of one.
async fn turns_and_ends_of_executions_are_counted(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    client.post("/v1/workflows", &waiting()).await;
    let above = json!({"name": "above", "version": 1, "nodes": [
        {"id": "below", "type": "WORKFLOW", "workflow": "waiting"}]});
    client.post("/v1/workflows", &above).await;
    let mut started = Vec::new();
    for workflow in ["above", "waiting"] {
        let execution = client.post("/v1/executions", &json!({ "workflow": workflow })).await;
        started.push(execution["id"].as_str().expect("an id").to_owned());
    }
    until("they are parked", DEADLINE, || async {
        (counted(&server, "executions_parked_total", &[]).await == 3).then_some(())
    })
    .await;
    client.post(&format!("/v1/executions/{}/cancel", started[1]), &json!({})).await;
    let below = client.all("/v1/executions?workflow=waiting&status=WAITING").await;
    let below = below[0]["id"].as_str().expect("the child waits");
    client.post(&format!("/v1/executions/{below}/signals/go"), &json!({ "payload": 1 })).await;
    let ended = client.get(&format!("/v1/executions/{}?wait=true", started[0])).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");

    for (name, values, expected) in [
        ("executions_started_total", &["user"] as &[&str], 2),
        ("executions_started_total", &["parent"], 1),
        ("executions_finished_total", &["completed"], 2),
        ("executions_finished_total", &["cancelled"], 1),
        ("jobs_settled_total", &["workflow-execution", "waiting"], 3),
        ("job_end_to_end_seconds_count", &["workflow-execution"], 2),
    ] {
        counts_to(&server, (name, values), expected).await;
    }
    // Where the machine is slow, upkeep has moved on one that waited for a slot: that was no turn.
    let turns = claimed(&server).await;
    let settled = ("jobs_settled_total", &["workflow-execution"] as &[&str]);
    counts_to(&server, settled, turns).await;
    counts_to(&server, ("job_run_seconds_count", &["workflow-execution"]), turns).await;
    counts_to(&server, ("executions_woken_total", &[]), turns - 3).await;
    until("the figures over time have them", DEADLINE, || async {
        let stats = client.get("/v1/stats?queue=workflow-execution").await;
        let points = stats["series"].as_array().expect("points");
        let completed: u64 = points.iter().filter_map(|point| point["completed"].as_u64()).sum();
        let has = |figure: &str| points.iter().any(|point| point[figure].is_i64());
        (completed == 2 && has("runP50") && has("endToEndP50")).then_some(())
    })
    .await;
}

/// Waits until a metric has counted so many.
async fn counts_to(server: &Server, (name, values): (&str, &[&str]), expected: u64) {
    until(&format!("{name} {values:?} is {expected}"), DEADLINE, || async {
        (counted(server, name, values).await == expected).then_some(())
    })
    .await;
}

/// One execution fails and is retried, to fail again; another one has something to undo first.
async fn failures_and_what_follows_them_are_counted(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let go = json!({"id": "go", "type": "SIGNAL", "signal": "go", "timeout": "10ms"});
    client.post("/v1/workflows", &json!({"name": "fails", "version": 1, "nodes": [go]})).await;
    let failed = client.post("/v1/executions", &json!({"workflow": "fails"})).await;
    let path = format!("/v1/executions/{}", failed["id"].as_str().expect("an id"));
    assert_eq!(client.get(&format!("{path}?wait=true")).await["status"], "FAILED");
    counts_to(&server, ("executions_finished_total", &["failed"]), 1).await;
    client.post(&format!("{path}/retry"), &json!({})).await;
    counts_to(&server, ("executions_finished_total", &["failed"]), 2).await;
    counts_to(&server, ("executions_resumed_total", &[]), 1).await;

    let undoes = json!({"name": "undoes", "version": 1, "nodes": [
        {"id": "first", "type": "TRANSFORM", "output": "done",
         "compensate": {"type": "SERVICE_TASK", "jobType": "undo"}},
        {"id": "go", "type": "SIGNAL", "signal": "go", "timeout": "10ms", "dependsOn": ["first"]}]});
    client.post("/v1/workflows", &undoes).await;
    client.post("/v1/executions", &json!({"workflow": "undoes"})).await;
    counts_to(&server, ("executions_compensating_total", &[]), 1).await;
    assert_eq!(counted(&server, "executions_finished_total", &["failed"]).await, 2, "it has to undo first");
}

async fn timers_fire_within_a_second(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let workflow = json!({"name": "timed", "version": 1, "nodes": [
        {"id": "wait", "type": "TIMER", "duration": "${input.wait}"}]});
    client.post("/v1/workflows", &workflow).await;
    let waits: Vec<i64> = (0..20).map(|number| 50 + number * 170).collect();
    let started: Vec<Value> = waits
        .iter()
        .map(|wait| json!({"workflow": "timed", "input": {"wait": format!("{wait}ms")}}))
        .collect();
    let many = json!({"maxConcurrent": 100, "tenantMaxConcurrent": 100, "workflowMaxConcurrent": 100});
    client.put("/v1/limits", &json!({ "workflow-execution": many })).await;
    let answer = client.post("/v1/executions/batch", &json!({ "executions": started })).await;
    let all = async {
        let mut times = Vec::new();
        for created in answer["results"].as_array().expect("results") {
            times.push(time_of(&client, created["id"].as_str().expect("an id")).await);
        }
        times
    };
    let (times, longest) = beside_calls(&client, all).await;
    let late_max = (SECOND + STEPS * longest).as_millis();
    for (wait, time) in waits.iter().zip(times) {
        let late = time - wait;
        let is_in_time = u128::try_from(late).is_ok_and(|late| late < late_max);
        assert!(is_in_time, "a timer of {wait} ms was {late} ms late, and {late_max} are allowed");
    }
}

/// How long the only node of an execution took, in milliseconds, once the execution has ended.
async fn time_of(client: &Client, execution: &str) -> i64 {
    let path = format!("/v1/executions/{execution}");
    let ended = client.get(&format!("{path}?wait=true")).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
    let nodes = client.get(&format!("{path}/nodes")).await;
    let at = |field: &str| {
        let text = nodes["items"][0][field].as_str().expect("an instant");
        Timestamp::parse(text).expect("RFC 3339")
    };
    at("finishedAt").since(at("startedAt")).0
}
