//! The stream of changes: who learns of what, and what that costs.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use domain::access::Role;
use domain::id::{ExecutionId, JobId};
use domain::queue::QueueName;
use futures::StreamExt as _;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use serde_json::json;
use store::wakeup::Hint;
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::harness::{Client, Harness};

/// Streams of a tenant to which nothing happens, and of the one whose executions change.
const STREAMS: usize = 40;
const STREAMS_OF_OWNER: usize = 2;

const EXECUTIONS: usize = 30;

/// The most statements for all of it: one for the executions, one for the job, and room for looks at keys. Were each change read
/// for each stream, they would be more than a thousand.
const STATEMENTS_MAX: u64 = 20;

async fn opened(harness: &Harness, client: &Client) -> BodyDataStream {
    let request = client.request("GET", "/v1/events", Body::empty());
    let response = harness.router.clone().oneshot(request).await.expect("routers do not fail");
    assert_eq!(response.status(), 200);
    response.into_body().into_data_stream()
}

async fn several(harness: &Harness, client: &Client, count: usize) -> Vec<BodyDataStream> {
    let mut streams = Vec::with_capacity(count);
    for _ in 0..count {
        streams.push(opened(harness, client).await);
    }
    streams
}

/// Reads a stream until it has shown all of these.
async fn until_shown(events: &mut BodyDataStream, texts: &[String]) -> String {
    let mut seen = String::new();
    while !texts.iter().all(|text| seen.contains(text)) {
        let event = timeout(Duration::from_secs(20), events.next()).await.expect("in time");
        let bytes = event.expect("an event").expect("no error");
        seen.push_str(std::str::from_utf8(&bytes).expect("text"));
    }
    seen
}

/// How many statements the store has sent.
fn statements(handle: &PrometheusHandle) -> u64 {
    let page = handle.render();
    let name = r#"trunkline_database_statement_seconds_count{kind="statement"} "#;
    let count = page.lines().find_map(|line| line.strip_prefix(name));
    count.unwrap_or_else(|| panic!("statements are counted: {page}")).parse().expect("a count")
}

async fn executions(client: &Client) -> Vec<String> {
    let mut ids = Vec::with_capacity(EXECUTIONS);
    for _ in 0..EXECUTIONS {
        let started = client.post("/v1/executions", &json!({"workflow": "w"})).await.expect(202);
        ids.push(started.str("id").to_owned());
    }
    ids
}

#[test]
fn i13_changes_of_another_tenant_are_read_once_for_all_streams() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let handle = recorder.handle();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    metrics::with_local_recorder(&recorder, || runtime.block_on(stream_changes(&handle)));
}

async fn stream_changes(handle: &PrometheusHandle) {
    let harness = Harness::start().await;
    let workflow =
        json!({"name": "w", "version": 1, "nodes": [{"id": "t", "type": "TRANSFORM", "output": 1}]});
    harness.admin().post("/v1/workflows", &workflow).await.expect(201);
    let acme = harness.client(Role::Client, Some("acme")).await;
    let umbrella = harness.client(Role::Viewer, Some("umbrella")).await;
    let ids = executions(&acme).await;
    let job = acme.post("/v1/jobs", &json!({"jobType": "t"})).await.expect(202).str("id").to_owned();
    let mut owners = several(&harness, &acme, STREAMS_OF_OWNER).await;
    let mut others = several(&harness, &umbrella, STREAMS).await;

    let before = statements(handle);
    let changed = |id: &String| Hint::Inbox(ExecutionId::parse(id).expect("an id"));
    let mut hints: Vec<Hint> = ids.iter().map(changed).collect();
    hints.push(Hint::Logged(JobId::parse(&job).expect("an id")));
    harness.engine.wakeup.send(&hints);
    let mut expected: Vec<String> = ids.iter().map(|id| format!(r#""executionId":"{id}""#)).collect();
    expected.push(format!(r#""jobId":"{job}""#));
    for stream in &mut owners {
        until_shown(stream, &expected).await;
    }
    harness.engine.wakeup.send(&[Hint::Queue(QueueName::Webhook)]);
    for stream in &mut others {
        let seen = until_shown(stream, &[r#""queue":"workflow-webhook""#.to_owned()]).await;
        assert!(!seen.contains("executionId") && !seen.contains("jobId"), "{seen}");
    }
    let made = statements(handle) - before;
    assert!(made <= STATEMENTS_MAX, "{made} statements");
    harness.engine.engine.begin_shutdown();
}
