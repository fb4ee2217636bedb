//! `trunkline dev --time-skip`: time jumps to the next timer or retry while nothing is under way, and only then; schedules fire where
//! somebody moves the time on.

use std::time::{Duration, Instant};

use domain::time::Timestamp;
use serde_json::{Value, json};

use crate::harness::{Client, Database, Server};

const DAY_MS: i64 = 86_400_000;
const HOUR_MS: i64 = 3_600_000;
/// Far less than what is waited for in the server's time, and enough for a machine under load.
const SOON: Duration = Duration::from_secs(20);

fn instant(value: &Value) -> Timestamp {
    Timestamp::parse(value.as_str().expect("an instant")).expect("RFC 3339")
}

async fn now(client: &Client) -> Timestamp {
    instant(&client.post("/v1/dev/time", &json!({})).await["now"])
}

fn timer(name: &str, duration: &str) -> Value {
    json!({"name": name, "version": 1, "nodes": [{"id": "wait", "type": "TIMER", "duration": duration}]})
}

async fn poll(client: &Client, job_type: &str) -> Value {
    let poll = json!({"workerId": "w", "jobTypes": [job_type], "wait": "20s"});
    client.post("/v1/jobs/poll", &poll).await["jobs"][0].clone()
}

fn report(job: &Value, more: &Value) -> Value {
    let mut report = more.clone();
    (report["id"], report["leaseToken"]) = (job["id"].clone(), job["leaseToken"].clone());
    json!({ "jobs": [report] })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_of_a_day_ends_at_once() {
    let server = Server::start_dev().await;
    let client = server.client();
    client.post("/v1/workflows", &timer("tomorrow", "1d")).await;
    let before = Instant::now();
    let run = client.post("/v1/executions?wait=true&timeout=30s", &json!({"workflow": "tomorrow"})).await;
    assert!(before.elapsed() < SOON, "{:?}", before.elapsed());
    assert_eq!(run["status"], "COMPLETED", "{run}");
    let took = instant(&run["completedAt"]).since(instant(&run["startedAt"]));
    assert!((DAY_MS..DAY_MS + 60_000).contains(&took.0), "{took} by its own time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_retry_comes_at_once_also_within_a_workflow() {
    let server = Server::start_dev().await;
    let client = server.client();
    let backoff = json!({"initial": "1h", "factor": 1, "max": "1h", "jitter": false});
    let job = client.post("/v1/jobs", &json!({"jobType": "flaky", "backoff": backoff})).await;
    let first = poll(&client, "flaky").await;
    let failed_at = now(&client).await;
    client.post("/v1/jobs/fail", &report(&first, &json!({"error": "not yet"}))).await;
    let second = poll(&client, "flaky").await;
    assert_eq!((&second["id"], second["attempt"].as_u64()), (&job["id"], Some(2)));
    assert!(now(&client).await.since(failed_at).0 >= HOUR_MS);
    client.post("/v1/jobs/complete", &report(&second, &json!({"result": 1}))).await;

    // The execution is held by its owner meanwhile, which does nothing.
    let retry = json!({"maxRetries": 2, "initial": "1h", "factor": 1, "max": "1h", "jitter": false});
    let node = json!({"id": "do", "type": "SERVICE_TASK", "jobType": "step", "retry": retry});
    client.post("/v1/workflows", &json!({"name": "flow", "version": 1, "nodes": [node]})).await;
    let run = client.post("/v1/executions", &json!({"workflow": "flow"})).await;
    let first = poll(&client, "step").await;
    client.post("/v1/jobs/fail", &report(&first, &json!({"error": "not yet"}))).await;
    let second = poll(&client, "step").await;
    assert_eq!(second["attempt"].as_u64(), Some(2), "{second}");
    client.post("/v1/jobs/complete", &report(&second, &json!({"result": 1}))).await;
    let path = format!("/v1/executions/{}?wait=true&timeout=30s", run["id"].as_str().expect("an id"));
    assert_eq!(client.get(&path).await["status"], "COMPLETED");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_held_lease_stops_it() {
    let server = Server::start_dev().await;
    let client = server.client();
    client.post("/v1/workflows", &timer("tomorrow", "1d")).await;
    client.post("/v1/jobs", &json!({"jobType": "long"})).await;
    let held = poll(&client, "long").await;
    let begun_at = now(&client).await;
    let run = client.post("/v1/executions", &json!({"workflow": "tomorrow"})).await;
    let path = format!("/v1/executions/{}", run["id"].as_str().expect("an id"));
    // Many looks of the clock happen meanwhile.
    for _ in 0..200 {
        assert!(now(&client).await.since(begun_at).0 < HOUR_MS, "time jumped although a job is leased");
    }
    assert_ne!(client.get(&path).await["status"], "COMPLETED");
    client.post("/v1/jobs/complete", &report(&held, &json!({"result": 1}))).await;
    let ended = client.get(&format!("{path}?wait=true&timeout=30s")).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schedules_fire_where_time_is_moved_on() {
    let server = Server::start_dev().await;
    let client = server.client();
    client.post("/v1/workflows", &timer("short", "1s")).await;
    client.post("/v1/workflows", &timer("days", "3d")).await;
    let schedule = json!({"name": "daily", "workflow": "short", "cron": "0 6 * * *", "timezone": "UTC"});
    client.post("/v1/schedules", &schedule).await;
    let run = client.post("/v1/executions?wait=true&timeout=30s", &json!({"workflow": "days"})).await;
    assert_eq!(run["status"], "COMPLETED", "{run}");
    assert!(client.all("/v1/executions?workflow=short").await.is_empty(), "time passed them");

    client.post("/v1/dev/time", &json!({"advance": "0s"})).await;
    let caught_up = client.all("/v1/executions?workflow=short").await.len();
    let before = now(&client).await;
    let moved = client.post("/v1/dev/time", &json!({"advance": "2d"})).await;
    assert_eq!(moved["started"].as_u64(), Some(2), "one a day: {moved}");
    assert_eq!(client.all("/v1/executions?workflow=short").await.len(), caught_up + 2);
    let took = instant(&moved["now"]).since(before).0;
    assert!((2 * DAY_MS..2 * DAY_MS + HOUR_MS).contains(&took), "{took} ms");
    assert!(client.all("/v1/executions?status=RUNNING").await.is_empty(), "timers between ended as well");
    assert_eq!(
        client.all("/v1/audit?action=time.move").await.len(),
        2,
        "asking what time it is moves nothing"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn time_stands_still_where_it_is_asked_to() {
    let server = Server::start_dev().await;
    let client = server.client();
    assert_eq!(client.post("/v1/dev/time", &json!({"skip": false})).await["skip"], false);
    let node = json!({"id": "go", "type": "SIGNAL", "signal": "go", "timeout": "1d"});
    client.post("/v1/workflows", &json!({"name": "asks", "version": 1, "nodes": [node]})).await;
    let run = client.post("/v1/executions", &json!({"workflow": "asks"})).await;
    let path = format!("/v1/executions/{}", run["id"].as_str().expect("an id"));
    for _ in 0..50 {
        assert_ne!(
            client.get(&path).await["status"],
            "FAILED",
            "its timeout came although time stands still"
        );
    }
    client.post("/v1/dev/time", &json!({"advance": "23h"})).await;
    client.post(&format!("{path}/signals/go"), &json!({"payload": 1})).await;
    let ended = client.get(&format!("{path}?wait=true&timeout=30s")).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_servers_keep_their_time() {
    let server = Server::start(&Database::sqlite()).await;
    let refused = server.client().try_post("/v1/dev/time", &json!({"advance": "1d"})).await.problem(409);
    assert_eq!(refused["code"], "time_is_real");
}
