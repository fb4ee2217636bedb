//! Chains of nodes that run within their execution.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use domain::names::WorkflowName;
use domain::queue::QueueName;
use domain::workflow::parse::Format;
use engine::{Caller, Engine, ExecutionRequest};
use serde_json::json;
use sqlx::postgres::PgPool;
use tokio_util::sync::CancellationToken;
use worker::Handlers;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs::BULK;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::Report;

const EXPLANATION: &str = "Executions of a chain of four TRANSFORM nodes, all waiting before the pool starts, on \
    PostgreSQL; every node's result is stored before the next node runs, and the execution's end with its job. \
    Reference: raw SQL that drains as many jobs as there are nodes, batch 100, two claimers (it computes nothing).";

const NODES: usize = 4;
const WORKERS: usize = 200;
const STUCK_AFTER: Duration = Duration::from_mins(3);

/// Runs it.
pub(crate) async fn workflow(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Workflows in place", EXPLANATION);
    let (mut reference, mut ours) = (Vec::new(), Vec::new());
    let nodes = arguments.executions * NODES;
    for _ in 0..arguments.rounds {
        let raw = PostgresReference::start(&arguments.postgres_url).await?;
        raw.enqueue(nodes).await?;
        raw.vacuum().await?;
        reference.push(raw.drain(nodes, 100).await?);
        raw.end().await?;
        ours.push(chains(arguments).await?);
    }
    report.add(format!("{NODES}-node chain in place, {WORKERS} workers"), "nodes/s", &reference, &ours);
    Ok(report)
}

async fn chains(arguments: &Arguments) -> Result<f64> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    register(&node.engine).await?;
    start(&node.engine, arguments.executions).await?;
    let observer = node.database.postgres(1).await?;
    let started_at = Instant::now();
    let pools = node.start_pool(QueueName::Execution, WORKERS, Handlers::new())?;
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    while completed(&observer).await? < arguments.executions {
        ensure!(started_at.elapsed() < STUCK_AFTER, "the workflows are stuck");
        pause.tick().await;
    }
    let elapsed = started_at.elapsed();
    pools.drain(STUCK_AFTER, CancellationToken::new()).await;
    observer.close().await;
    node.end().await?;
    Ok((arguments.executions * NODES) as f64 / elapsed.as_secs_f64())
}

async fn completed(observer: &PgPool) -> Result<usize> {
    let (count,): (i64,) = sqlx::query_as("SELECT count(*) FROM job_done WHERE status = 'COMPLETED'")
        .fetch_one(observer)
        .await?;
    Ok(count as usize)
}

async fn register(engine: &Engine) -> Result<()> {
    let chain = json!({
        "name": "chain", "version": 1,
        "nodes": [
            { "id": "a", "type": "TRANSFORM", "output": { "n": "${input.n}" } },
            { "id": "b", "type": "TRANSFORM", "dependsOn": ["a"], "output": { "n": "${nodes.a.output.n + 1}" } },
            { "id": "c", "type": "TRANSFORM", "dependsOn": ["b"], "output": { "n": "${nodes.b.output.n + 1}" } },
            { "id": "d", "type": "TRANSFORM", "dependsOn": ["c"], "output": { "n": "${nodes.c.output.n + 1}" } }
        ]
    });
    engine.register_workflow(&Caller::system(), chain.to_string().as_bytes(), Format::Json).await?;
    Ok(())
}

async fn start(engine: &Engine, count: usize) -> Result<()> {
    for first in (0..count).step_by(BULK) {
        let requests = (first..count.min(first + BULK))
            .map(|n| ExecutionRequest::new(WorkflowName::trusted("chain"), format!(r#"{{"n":{n}}}"#)))
            .collect();
        engine.start_executions(&Caller::system(), requests).await?;
    }
    Ok(())
}
