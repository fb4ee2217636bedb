//! Metrics that operators watch: each moves with what it counts, and gauges show what stands in the store.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, on_both_databases, until};

const DEADLINE: Duration = Duration::from_mins(1);

const NODES: &str = "workflow-node";

on_both_databases!(
    what_becomes_of_jobs_is_counted,
    limits_and_workers_are_shown,
    alerts_schedules_and_the_database_are_measured,
);

/// Waits until a metric has this value.
async fn shows(server: &Server, name: &str, values: &[&str], expected: f64) {
    until(&format!("{name} {values:?} is {expected}"), DEADLINE, || async {
        server.metric(name, values).await.filter(|value| (value - expected).abs() < f64::EPSILON)
    })
    .await;
}

/// Waits until a metric is above zero.
async fn moves(server: &Server, name: &str, values: &[&str]) {
    until(&format!("{name} {values:?} moves"), DEADLINE, || async {
        server.metric(name, values).await.filter(|value| *value > 0.0)
    })
    .await;
}

async fn poll(client: &Client, lease: &str) -> Value {
    let body = json!({"workerId": "w", "jobTypes": ["pack"], "maxJobs": 1, "lease": lease, "wait": "20s"});
    let polled = client.post("/v1/jobs/poll", &body).await;
    assert_eq!(polled["jobs"].as_array().map(Vec::len), Some(1), "{polled}");
    polled["jobs"][0].clone()
}

async fn enqueue(client: &Client, more: &Value) -> String {
    let mut body = json!({"jobType": "pack", "data": {"n": 1}, "maxRetries": 1,
        "backoff": {"initial": "1ms", "factor": 1, "max": "1ms"}});
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    client.post("/v1/jobs", &body).await["id"].as_str().expect("an id").to_owned()
}

async fn what_becomes_of_jobs_is_counted(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    enqueue(&client, &json!({"jobType": "other", "delay": "100ms", "priority": "low"})).await;
    moves(&server, "jobs_promoted_total", &[NODES, "low"]).await;
    // A worker that is never heard of again: its job is taken back, and due again after its backoff.
    enqueue(&client, &json!({})).await;
    poll(&client, "1s").await;
    shows(&server, "jobs_reaped_total", &[NODES, "normal"], 1.0).await;
    let second = poll(&client, "30s").await;
    assert_eq!(second["attempt"], 2);
    let failed = json!({"id": second["id"], "leaseToken": second["leaseToken"], "retryable": false,
        "error": {"message": "declined", "code": "card_declined"}});
    let answer = client.post("/v1/jobs/fail", &json!({ "jobs": [failed] })).await;
    assert_eq!(answer["results"][0]["outcome"], "ok", "{answer}");
    shows(&server, "dead_letters_total", &[NODES, "non_retryable"], 1.0).await;
    shows(&server, "dead_letters_open", &[NODES], 1.0).await;
    let letters = client.all("/v1/dead-letters").await;
    let letter = letters[0]["id"].as_str().expect("an id");
    client.post(&format!("/v1/dead-letters/{letter}/requeue"), &json!({})).await;
    shows(&server, "dead_letters_resolved_total", &[NODES, "requeued"], 1.0).await;
    shows(&server, "dead_letters_open", &[NODES], 0.0).await;

    let later = enqueue(&client, &json!({"delay": "1h", "priority": "low"})).await;
    client.post(&format!("/v1/jobs/{later}/cancel"), &json!({})).await;
    shows(&server, "jobs_cancelled_total", &[NODES, "low"], 1.0).await;
    let of_many = enqueue(&client, &json!({"delay": "1h", "priority": "low"})).await;
    client.post("/v1/jobs/cancel", &json!({ "ids": [of_many] })).await;
    shows(&server, "jobs_cancelled_total", &[NODES, "low"], 2.0).await;
    // Jobs of nodes are cancelled with their execution.
    let nodes = json!([{"id": "wait", "type": "SERVICE_TASK", "jobType": "nobody"}]);
    client.post("/v1/workflows", &json!({"name": "waits", "version": 1, "nodes": nodes})).await;
    let started = client.post("/v1/executions", &json!({"workflow": "waits"})).await;
    let execution = format!("/v1/executions/{}", started["id"].as_str().expect("an id"));
    until("its job waits", DEADLINE, || async {
        let jobs = client.all("/v1/jobs?jobType=nobody&status=QUEUED").await;
        (jobs.len() == 1).then_some(())
    })
    .await;
    client.post(&format!("{execution}/cancel"), &json!({})).await;
    shows(&server, "jobs_cancelled_total", &[NODES, "high"], 1.0).await;
    let number = json!({"n": {"type": "text", "path": "data.n"}});
    client.put("/v1/job-types/pack/attributes", &number).await;
    enqueue(&client, &json!({})).await;
    shows(&server, "attributes_skipped_total", &[], 1.0).await;
}

async fn limits_and_workers_are_shown(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    client.put("/v1/limits", &json!({ NODES: {"maxConcurrent": 1} })).await;
    enqueue(&client, &json!({})).await;
    enqueue(&client, &json!({})).await;
    let job = poll(&client, "30s").await;
    shows(&server, "limit_slots", &[NODES], 1.0).await;
    shows(&server, "limit_slots_used", &[NODES], 1.0).await;
    shows(&server, "limits_full", &[NODES, "global"], 1.0).await;
    shows(&server, "queue_held_by_limit", &[NODES, "normal"], 1.0).await;
    shows(&server, "queue_in_flight", &[NODES, "normal"], 1.0).await;
    shows(&server, "queue_depth", &[NODES, "normal"], 1.0).await;
    shows(&server, "workers", &["external"], 1.0).await;
    let done = json!({"id": job["id"], "leaseToken": job["leaseToken"], "result": 1});
    client.post("/v1/jobs/complete", &json!({ "jobs": [done] })).await;
    shows(&server, "limit_slots_used", &[NODES], 0.0).await;
    shows(&server, "limits_full", &[NODES, "global"], 0.0).await;
    for histogram in ["job_wait_seconds_count", "job_run_seconds_count", "job_end_to_end_seconds_count"] {
        shows(&server, histogram, &[NODES, "normal"], 1.0).await;
    }
}

async fn alerts_schedules_and_the_database_are_measured(database: Database) {
    let server = Server::start_with(&database, &[("TRUNKLINE_ALERTS__EVALUATE_EVERY", "1s")]).await;
    let client = server.client();
    let nodes = json!([{"id": "sum", "type": "TRANSFORM", "output": 7}]);
    client.post("/v1/workflows", &json!({"name": "often", "version": 1, "nodes": nodes})).await;
    client.post("/v1/schedules", &json!({"name": "n", "workflow": "often", "every": "10s"})).await;
    let rule = json!({"metric": "depth", "above": 0, "severity": "warning", "scope": {"queue": NODES}});
    client.put("/v1/alerts/rules/deep", &rule).await;
    enqueue(&client, &json!({})).await;
    shows(&server, "alerts_firing", &["warning"], 1.0).await;
    moves(&server, "alert_notifications_total", &["log", "sent"]).await;
    let job = poll(&client, "30s").await;
    let done = json!({"id": job["id"], "leaseToken": job["leaseToken"], "result": 1});
    client.post("/v1/jobs/complete", &json!({ "jobs": [done] })).await;
    shows(&server, "alerts_firing", &["warning"], 0.0).await;

    moves(&server, "schedule_lateness_seconds_count", &[]).await;
    moves(&server, "executions_started_total", &["schedule"]).await;
    moves(&server, "commit_wait_seconds_count", &[]).await;
    moves(&server, "database_connection_wait_seconds_count", &[]).await;
    moves(&server, "database_connections", &[]).await;
    moves(&server, "audit_sealed_total", &[]).await;
    assert!(server.metric("audit_seal_lag_seconds", &[]).await.is_some_and(|lag| lag >= 0.0));
}
