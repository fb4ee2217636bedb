//! PostgreSQL behind a pooler that lends connections out by transaction: everything works, and the log says what is
//! slower.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::pgbouncer::PgBouncer;

use crate::harness::{Client, Database, Record, Server, Worker, WorkerSetup, until};

const DEADLINE: Duration = Duration::from_mins(2);

const JOBS: usize = 60;
const EXECUTIONS: usize = 6;

/// What the log says of the pooler, of work that is only polled for, and of a place where nothing is heard.
const SHARED: &str = "which makes statements slower";
const POLLED: &str = "work of other nodes is found by polling";
const DEAF: &str = "database.listen_url leads to a pooler";
/// What it logs if the node does not receive its own notification.
const LOST: &str = "notifications from PostgreSQL do not arrive";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_and_workflows_complete_on_two_nodes_behind_a_pooler() {
    let database = Database::postgres().await;
    let pooler = PgBouncer::start().await;
    let url = pooler.url(&database.url);
    let settings = [("DATABASE_URL", url.as_str())];
    let one = Server::start_with(&database, &settings).await;
    let two = Server::start_with(&database, &settings).await;
    let record = Record::new();
    // What one node accepts, the other leases.
    let worker = Worker::start(two.client(), WorkerSetup::echo("worker", &["side"]), record.clone());
    let client = one.client();
    let jobs: Vec<Value> = (0..JOBS).map(|number| json!({"jobType": "side", "data": number})).collect();
    client.post("/v1/jobs/batch", &json!({ "jobs": jobs })).await;
    run_workflows(&client).await;
    until("all jobs are done", DEADLINE, || async { (record.ok_count() == JOBS + EXECUTIONS).then_some(()) })
        .await;
    worker.stop().await;
    for server in [&one, &two] {
        assert_eq!(lines(server, SHARED), 1, "it is said once");
        assert_eq!(lines(server, POLLED), 1);
        assert_eq!(lines(server, "prepared statement"), 0, "nobody meets the statements of others");
        assert_eq!(lines(server, "ERROR"), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_can_go_past_the_pooler() {
    let database = Database::postgres().await;
    let pooler = PgBouncer::start().await;
    let url = pooler.url(&database.url);
    let settings =
        [("DATABASE_URL", url.as_str()), ("TRUNKLINE_DATABASE__LISTEN_URL", database.url.as_str())];
    let server = Server::start_with(&database, &settings).await;
    run_alone(&server.client()).await;
    assert_eq!((lines(&server, SHARED), lines(&server, POLLED), lines(&server, LOST)), (1, 0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_behind_a_pooler_is_refused() {
    let database = Database::postgres().await;
    let pooler = PgBouncer::start().await;
    let url = pooler.url(&database.url);
    let server = Server::start_with(&database, &[("TRUNKLINE_DATABASE__LISTEN_URL", url.as_str())]).await;
    run_alone(&server.client()).await;
    assert_eq!(lines(&server, DEAF), 1);
    assert_eq!(lines(&server, SHARED), 0, "its connections are its own");
}

/// A step that the pool does, a wait, and a step that a worker does.
async fn run_workflows(client: &Client) {
    let workflow = json!({"name": "pooled", "version": 1, "nodes": [
        {"id": "twice", "type": "TRANSFORM", "output": "${input.number * 2}"},
        {"id": "pause", "type": "TIMER", "duration": "300ms", "dependsOn": ["twice"]},
        {"id": "work", "type": "SERVICE_TASK", "jobType": "side", "dependsOn": ["pause"],
         "input": {"number": "${nodes.twice.output}"}},
    ], "output": "${nodes.work.output.number}"});
    client.post("/v1/workflows", &workflow).await;
    let body = |number: usize| json!({"workflow": "pooled", "input": {"number": number}});
    let batch = json!({ "executions": (0..EXECUTIONS).map(body).collect::<Vec<_>>() });
    let started = client.post("/v1/executions/batch", &batch).await;
    for (number, one) in started["results"].as_array().expect("results").iter().enumerate() {
        let path = format!("/v1/executions/{}?wait=true&timeout=50s", one["id"].as_str().expect("an id"));
        let ended = client.get(&path).await;
        assert_eq!(
            (&ended["status"], &ended["output"]),
            (&json!("COMPLETED"), &json!(number * 2)),
            "{ended}"
        );
    }
}

/// An execution that needs nobody else.
async fn run_alone(client: &Client) {
    let node = json!({"id": "say", "type": "TRANSFORM", "output": "hello"});
    client.post("/v1/workflows", &json!({"name": "alone", "version": 1, "nodes": [node]})).await;
    let ended = client.post("/v1/executions?wait=true&timeout=50s", &json!({"workflow": "alone"})).await;
    assert_eq!(ended["status"], "COMPLETED", "{ended}");
}

fn lines(server: &Server, text: &str) -> usize {
    server.log().lines().filter(|line| line.contains(text)).count()
}
