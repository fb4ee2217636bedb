//! The real server, where `TRUNKLINE_BINARY` or the PATH has one.

use std::time::Duration;

use futures::StreamExt as _;
use serde_json::json;
use tokio::sync::oneshot;
use trunkline_client::testing::{dev_server, time_skipping_server};
use trunkline_client::workflow::{Definition, Node, input, output, signal, task};
use trunkline_client::{ClientError, Context, HealthStatus, Worker};

const LIMIT: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_with_a_worker_and_a_signal() {
    let server = dev_server().await.expect("a server: set TRUNKLINE_BINARY");
    let client = server.client().expect("a client");
    let hello = Definition::new("hello")
        .node(Node::new("greet", task("greet", input(&[]))))
        .node(Node::new("go", signal("go")).depends_on(["greet"]))
        .output(output("greet", &[]));
    assert_eq!(client.push(&hello).await.expect("pushed"), ("hello".to_owned(), 1));
    let worker = Worker::new(client.clone())
        .handle("greet", |name: String, _: Context| async move { Ok(format!("Hello, {name}")) });
    let health = worker.health();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(worker.run_until(async move { stopped.await.unwrap_or_default() }));
    let run = client.start("hello", "Ada").correlation_id("c-1").await.expect("started");
    run.signal("go", &()).await.expect("signalled");
    assert_eq!(run.wait::<String>(LIMIT).await.expect("an output"), "Hello, Ada");
    assert_eq!(run.outputs().await.expect("outputs")["greet"].as_str(), "\"Hello, Ada\"");
    assert_eq!(health.status(), HealthStatus::Ok);
    drop(stop);
    running.await.expect("no panic").expect("drained");
    assert_eq!(health.status(), HealthStatus::Draining);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_followed() {
    let server = dev_server().await.expect("a server: set TRUNKLINE_BINARY");
    let transports: &[&str] = if cfg!(feature = "grpc") { &["rest", "grpc"] } else { &["rest"] };
    for transport in transports {
        let client = server.client_builder().transport(*transport).build().expect("a client");
        let version = json!({"name": *transport, "version": 1, "nodes": [{"id": "go", "type": "SIGNAL", "signal": "go"}]});
        client.push(&version).await.expect("pushed");
        let mut events = client.events().await.expect("a stream");
        let run = client.start(*transport, &json!({})).await.expect("started");
        run.signal("go", &()).await.expect("signalled");
        let ended = async {
            while let Some(event) = events.next().await {
                let event = event.expect("an event");
                if event.execution_id.as_deref() == Some(run.id()) && event.ended == Some(true) {
                    return;
                }
            }
            panic!("the stream of events ended");
        };
        tokio::time::timeout(LIMIT, ended).await.expect("an event in time");
    }
}

#[tokio::test]
async fn refusals_have_their_codes() {
    let server = dev_server().await.expect("a server: set TRUNKLINE_BINARY");
    let client = server.client().expect("a client");
    let refused = client.enqueue("not a job type!", &json!({})).await.err().expect("a refusal");
    assert_eq!(refused.problem().map(|problem| problem.code.as_str()), Some("invalid"));
    let stranger = server.client_builder().api_key("tl_wrong").build().expect("a client");
    let worker = Worker::new(stranger).handle("greet", |(): (), _: Context| async move { Ok(()) });
    let refused = worker.run().await.expect_err("no worker with a wrong key");
    assert_eq!(refused.problem().map(|problem| problem.status), Some(401));
    let job = client.enqueue("nobody", &json!({})).await.expect("enqueued");
    let late = job.wait::<()>(Duration::from_millis(50)).await.expect_err("nobody works on it");
    assert!(matches!(late, ClientError::Timeout { .. }), "{late}");
}

#[tokio::test]
async fn a_server_whose_time_skips() {
    let server = time_skipping_server().await.expect("a server: set TRUNKLINE_BINARY");
    let client = server.client().expect("a client");
    let wait = json!({"id": "wait", "type": "TIMER", "duration": "1d"});
    let reminder = json!({"name": "reminder", "version": 1, "nodes": [wait]});
    client.push(&reminder).await.expect("pushed");
    let before = server.skip(true).await.expect("its time");
    let run = client.start("reminder", &json!({})).await.expect("started");
    run.wait::<serde_json::Value>(LIMIT).await.expect("a day, in a moment");
    let after = server.skip(false).await.expect("its time");
    let day = Duration::from_hours(24);
    assert!(after >= before + day, "{after}");
    assert!(server.advance(day * 7).await.expect("moved") >= after + day * 7);
}
