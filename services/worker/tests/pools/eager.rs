//! Executions that are leased for idle hands of the pool as they are stored. PostgreSQL, where that happens.

use std::sync::Arc;
use std::time::Duration;

use domain::access::TenantScope;
use domain::job::JobStatus;
use domain::queue::QueueName;
use domain::workflow::execution::ExecutionStatus;
use serde_json::json;
use store::jobs::JobStore as _;
use tokio_util::sync::CancellationToken;
use worker::Handlers;

use crate::bench::{PoolBench, stop};

async fn bench() -> Arc<PoolBench> {
    let bench = PoolBench::on_postgres().await;
    let definition = json!({
        "name": "short", "version": 1,
        "nodes": [{ "id": "one", "type": "TRANSFORM", "output": { "x": "${input.x}" } }]
    });
    bench.bench.register(&definition).await.expect("a valid workflow");
    Arc::new(bench)
}

async fn start(bench: &PoolBench) -> domain::id::ExecutionId {
    bench.bench.start("short", &json!({ "x": 1 })).await.expect("it starts")
}

/// Starts that meet the end of a pool at any instant lose nothing: each execution has run, or waits without an attempt
/// used up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_stored_while_a_pool_drains_runs_or_waits() {
    let bench = bench().await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        let pools = bench.start(QueueName::Execution, 4, Handlers::new());
        for _ in 0..3 {
            let id = start(&bench).await;
            bench.bench.ended(id).await;
        }
        let theirs = Arc::clone(&bench);
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
    assert_eq!(bench.count(JobStatus::Processing).await, 0, "a lease is left to nobody");
    let pools = bench.start(QueueName::Execution, 4, Handlers::new());
    for id in ids {
        assert_eq!(bench.bench.ended(id).await.status, ExecutionStatus::Completed);
        let job = engine_job(&bench, id).await;
        assert_eq!(job.retry_count, 0);
    }
    assert!(stop(pools).await.in_time);
}

async fn engine_job(bench: &PoolBench, id: domain::id::ExecutionId) -> store::jobs::JobRecord {
    let job = domain::id::Id::derive(id.uuid(), &["job"]);
    bench.database.store.job(&TenantScope::All, job).await.expect("read works").expect("the job is there")
}
