//! Executions that are leased for idle slots of the pool as they are stored. PostgreSQL, where that happens.

use std::sync::Arc;
use std::time::Duration;

use domain::access::TenantScope;
use domain::job::JobStatus;
use domain::names::{CallerKey, Tag, WorkflowName};
use domain::queue::QueueName;
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use engine::ExecutionRequest;
use serde_json::json;
use store::jobs::JobStore as _;
use tokio_util::sync::CancellationToken;
use worker::Handlers;

use crate::harness::{PoolHarness, stop};

async fn harness() -> Arc<PoolHarness> {
    let harness = PoolHarness::on_postgres().await;
    let definition = json!({
        "name": "short", "version": 1,
        "nodes": [{ "id": "one", "type": "TRANSFORM", "output": { "x": "${input.x}" } }]
    });
    harness.harness.register(&definition).await.expect("a valid workflow");
    Arc::new(harness)
}

async fn start(harness: &PoolHarness) -> domain::id::ExecutionId {
    harness.harness.start("short", &json!({ "x": 1 })).await.expect("it starts")
}

/// Starts that meet the end of a pool at any instant lose nothing: each execution has run, or waits without an attempt
/// used up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_stored_while_a_pool_drains_runs_or_waits() {
    let harness = harness().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        let pools = harness.start(QueueName::Execution, 4, Handlers::new());
        for _ in 0..3 {
            let id = start(&harness).await;
            harness.harness.ended(id).await;
        }
        let theirs = Arc::clone(&harness);
        let starts = tokio::spawn(async move {
            let mut ids = Vec::new();
            for _ in 0..10 {
                ids.push(start(&theirs).await);
            }
            ids
        });
        let drained = pools.drain(Duration::from_mins(1), CancellationToken::new()).await;
        assert!(drained.in_time && drained.blocked == 0, "{drained:?}");
        ids.extend(starts.await.expect("no panic"));
    }
    assert_eq!(harness.count(JobStatus::Processing).await, 0, "a lease is left to nobody");
    let pools = harness.start(QueueName::Execution, 4, Handlers::new());
    for id in ids {
        assert_eq!(harness.harness.ended(id).await.status, ExecutionStatus::Completed);
        let job = engine_job(&harness, id).await;
        assert_eq!(job.retry_count, 0);
    }
    assert!(stop(pools).await.in_time);
}

/// What an owner takes up without reading it, and what a caller is answered without reading it, is what is read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_is_waited_for_is_answered_as_it_reads() {
    let harness = harness().await;
    let pools = harness.start(QueueName::Execution, 4, Handlers::new());
    let (engine, admin) = (harness.engine(), harness.harness.admin());
    for _ in 0..50 {
        let request = ExecutionRequest {
            correlation_id: Some(CallerKey::trusted("order-7")),
            tags: vec![Tag::trusted("eu")],
            ..ExecutionRequest::new(WorkflowName::trusted("short"), r#"{"x": 1}"#)
        };
        let (created, started) = engine.start_awaited(&admin, request).await.expect("it starts");
        let ended = engine.wait_started(&admin, started, DurationMs::from_secs(30)).await;
        let ended = ended.expect("the wait works");
        assert_eq!(ended.status, ExecutionStatus::Completed);
        assert_eq!(ended, engine.execution(&admin, created.id).await.expect("the read works"));
    }
    assert!(stop(pools).await.in_time);
}

async fn engine_job(harness: &PoolHarness, id: domain::id::ExecutionId) -> store::jobs::JobRecord {
    let job = domain::id::Id::derive(id.uuid(), &["job"]);
    harness.database.store.job(&TenantScope::All, job).await.expect("read works").expect("the job is there")
}
