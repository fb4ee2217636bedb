//! Executions in their pool.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use domain::job::JobStatus;
use domain::names::JobType;
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use engine::JobRequest;
use serde_json::{Value, json};
use testkit::eventually;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;
use worker::Handlers;
use worker::egress::EgressOptions;

use crate::harness::{PoolHarness, stop};

fn clock(harness: &PoolHarness) -> std::sync::Arc<dyn store::Clock> {
    std::sync::Arc::clone(&harness.harness.clock) as _
}

/// Answers every call with a small JSON document.
async fn target() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("loopback can be bound");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\
                              content-length: 11\r\n\r\n{\"stock\":7}";
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    format!("http://{address}/items")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_workflow_of_built_in_nodes_runs_to_its_end() {
    let harness = PoolHarness::new().await;
    let url = target().await;
    harness
        .harness
        .register(&json!({
            "name": "stock", "version": 1,
            "nodes": [
                { "id": "ask", "type": "HTTP", "request": { "url": url } },
                { "id": "sum", "type": "TRANSFORM", "dependsOn": ["ask"],
                  "output": { "left": "${nodes.ask.output.body.stock}" } }
            ]
        }))
        .await
        .expect("a valid workflow");
    let egress = EgressOptions::default().allowing(["127.0.0.1"]).expect("valid");
    let handlers = Handlers::built_in(egress, clock(&harness), Arc::new(harness.engine())).expect("a client");
    let engine = harness.engine();
    let heartbeat_engine = move || {
        let engine = engine.clone();
        async move { Ok::<_, Infallible>(engine) }
    };
    let options = vec![harness.options(QueueName::Execution, 4), harness.options(QueueName::Node, 4)];
    let pools = worker::start(harness.engine(), options, handlers, heartbeat_engine).expect("a thread");
    let id = harness.harness.start("stock", &json!({})).await.expect("it starts");
    let record = harness.harness.ended(id).await;
    assert_eq!(record.status, ExecutionStatus::Completed, "{record:?}");
    let output: Value = serde_json::from_str(record.output.as_deref().expect("an output")).expect("JSON");
    assert_eq!(output["sum"]["left"], 7, "{output}");
    assert!(stop(pools).await.in_time);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_drain_gives_executions_back_at_once() {
    let harness = PoolHarness::new().await;
    harness
        .harness
        .register(&json!({
            "name": "encode", "version": 1,
            "nodes": [{ "id": "encode", "type": "SERVICE_TASK", "jobType": "encode" }]
        }))
        .await
        .expect("a valid workflow");
    let pools = harness.start(QueueName::Execution, 2, Handlers::new());
    let id = harness.harness.start("encode", &json!({})).await.expect("it starts");
    eventually("the node is queued", || async {
        let jobs = harness
            .harness
            .engine
            .queue_figures(&harness.harness.admin(), QueueName::Node)
            .await
            .expect("figures");
        jobs.tiers.iter().map(|tier| tier.queued).sum::<u64>() == 1
    })
    .await;
    // No timeout is waited for: the execution sees the drain itself.
    assert!(pools.drain(Duration::from_mins(10), CancellationToken::new()).await.in_time);
    let record = harness.harness.engine.execution(&harness.harness.admin(), id).await.expect("it is there");
    let job = harness.job(record.job_id).await;
    assert_eq!((job.status, job.retry_count), (JobStatus::Queued, 0));

    // Another process takes it up, and an outside worker ends it.
    let pools = harness.start(QueueName::Execution, 2, Handlers::new());
    let node = harness.harness.take("encode").await;
    harness.harness.complete(&node, &json!({ "ok": true })).await.expect("completed");
    assert_eq!(harness.harness.ended(id).await.status, ExecutionStatus::Completed);
    assert!(stop(pools).await.in_time);
}

#[tokio::test]
async fn stand_alone_jobs_of_outside_workers_are_not_touched() {
    let harness = PoolHarness::new().await;
    let egress = EgressOptions::default();
    let handlers = Handlers::built_in(egress, clock(&harness), Arc::new(harness.engine()));
    let pools = harness.start(QueueName::Node, 2, handlers.expect("a client"));
    let job =
        harness.harness.enqueue(JobRequest::new(JobType::trusted("encode"), "{}")).await.expect("enqueued");
    assert_eq!(harness.harness.take("encode").await.id, job.id);
    stop(pools).await;
}
