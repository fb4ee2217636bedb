//! The database going away: callers are asked to retry later, nothing crashes, and when it is there again the
//! server works without a restart.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::harness::{Admin, Answer, Client, Database, Record, Server, Worker, WorkerSetup, until};

const DEADLINE: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_going_away_is_503_and_heals() {
    let database = Database::postgres().await;
    let mut server = Server::start(&database).await;
    let client = server.client();
    let record = Record::new();
    let worker =
        Worker::start(client.clone(), WorkerSetup::echo("patient", &["before", "after"]), record.clone());
    let before = client.post("/v1/jobs", &json!({"jobType": "before", "data": {}})).await;
    until("a job is done", DEADLINE, || async { (record.ok_count() == 1).then_some(()) }).await;

    let mut admin = Admin::of(&database).await;
    admin.take_away().await;
    let refusal = until("a refusal", DEADLINE, || async {
        Some(enqueue(&client).await).filter(|answer| answer.status != 202)
    })
    .await;
    assert_says_come_back(&refusal);
    for _ in 0..5 {
        assert_says_come_back(&enqueue(&client).await);
    }
    assert_says_come_back(&client.try_get("/v1/queues").await);
    assert_says_come_back(&client.try_get("/readyz").await);
    let metrics = Client::new(&server.metrics_url(), None);
    let shown = metrics.try_get("/metrics").await.text;
    let is_counted = shown.lines().any(|line| line.starts_with("trunkline_store_errors_total{operation="));
    assert!(is_counted, "the alert about the database looks at it: {shown}");
    assert_eq!(metrics.try_get("/readyz").await.status, 503);
    assert_eq!(metrics.try_get("/metrics").await.status, 200, "metrics are there when they are needed most");
    assert_eq!(client.try_get("/healthz").await.status, 200, "the process itself is well");

    admin.give_back().await;
    let after = until("the server heals by itself", DEADLINE, || async {
        Some(enqueue(&client).await).filter(Answer::is_success)
    })
    .await;
    until("it says so", DEADLINE, || async { (client.try_get("/readyz").await.status == 200).then_some(()) })
        .await;
    // One whose answer was lost with the database is worked on as well, and is not the one that is waited for.
    for id in [&before["id"], &after.json()["id"]] {
        let path = format!("/v1/jobs/{}", id.as_str().expect("an id"));
        until("the worker goes on", DEADLINE, || async {
            (client.get(&path).await["status"] == "COMPLETED").then_some(())
        })
        .await;
    }
    worker.stop().await;
    assert_eq!(server.terminate(DEADLINE).await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_connections_are_not_seen_by_callers_for_long() {
    let database = Database::postgres().await;
    let server = Server::start(&database).await;
    let client = server.client();
    let mut admin = Admin::of(&database).await;
    let record = Record::new();
    let worker =
        Worker::start(client.clone(), WorkerSetup::echo("steady", &["before", "after"]), record.clone());
    for round in 1..=3 {
        admin.cut().await;
        until("a job is accepted", DEADLINE, || async {
            let answer = enqueue(&client).await;
            assert!(answer.status == 202 || answer.status == 503, "{}: {}", answer.status, answer.text);
            answer.is_success().then_some(())
        })
        .await;
        until("it is worked on", DEADLINE, || async { (record.ok_count() >= round).then_some(()) }).await;
    }
    worker.stop().await;
}

async fn enqueue(client: &Client) -> Answer {
    client.call(Method::POST, "/v1/jobs").json(&json!({"jobType": "after", "data": {}})).answer().await
}

fn assert_says_come_back(answer: &Answer) {
    let problem = answer.problem(503);
    assert_eq!(problem["code"], "unavailable", "{problem}");
    let wait = answer.header("retry-after").and_then(|text| text.parse::<u32>().ok());
    assert!(wait.is_some_and(|seconds| (1..=60).contains(&seconds)), "Retry-After: {wait:?}");
}
