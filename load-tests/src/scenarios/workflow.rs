//! Chains of nodes: within their execution, and through the node queue.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use domain::queue::QueueName;
use sqlx::postgres::PgPool;
use tokio_util::sync::CancellationToken;
use worker::Handlers;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::node::Node;
use crate::reference::{PostgresReference, rows};
use crate::report::{Report, Target};
use crate::scenarios::executions::{Chain, NODES, work};

const EXPLANATION: &str = "Executions of a chain of four nodes, all waiting before the pool starts, on PostgreSQL; every \
    node's result is stored before the next node runs, and the execution's end with its job. *In place*: TRANSFORM \
    nodes. *Through the node queue*: SERVICE_TASK nodes, each a job that a worker in this process polls and completes \
    in batches of up to 500. Reference: raw SQL that drains as many jobs as there are nodes, batch 100, two claimers \
    (it computes nothing, and its jobs are all there from the start). *Beside the same rows*: raw SQL that writes into \
    the engine's own tables what it writes for chains in place, and computes nothing: what the database alone takes.";

const WORKERS: usize = 200;
const STUCK_AFTER: Duration = Duration::from_mins(5);

/// Runs it.
pub(crate) async fn workflow(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Chains of nodes", EXPLANATION);
    let mut runs: [Vec<f64>; 4] = Default::default();
    let nodes = arguments.sizes.executions * NODES;
    for _ in 0..arguments.sizes.rounds {
        let raw = PostgresReference::start(&arguments.postgres_url).await?;
        raw.enqueue(nodes).await?;
        raw.vacuum().await?;
        runs[0].push(raw.drain(nodes, 100).await?);
        raw.end().await?;
        runs[1].push(chains(arguments, Chain::InPlace).await?);
        runs[2].push(chains(arguments, Chain::Queued).await?);
        runs[3].push(rows_in_place(arguments).await?);
    }
    let [raw, in_place, queued, rows] = &runs;
    let what = format!("{NODES}-node chain in place, {WORKERS} hands");
    report.add(what, "nodes/s", raw, in_place).aim(Target::ValueMin(20_000.0));
    let what = format!("{NODES}-node chain through the node queue, {WORKERS} hands");
    report.add(what, "nodes/s", raw, queued).aim(Target::ValueMin(8_000.0));
    let what = format!("{NODES}-node chain in place, beside raw SQL that writes the same rows");
    report.add(what, "nodes/s", rows, in_place);
    Ok(report)
}

/// The rows of chains in place, written by raw SQL.
async fn rows_in_place(arguments: &Arguments) -> Result<f64> {
    let count = arguments.sizes.executions;
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    Chain::InPlace.register(&node.engine).await?;
    Chain::InPlace.start(&node.engine, count).await?;
    let pool = node.postgres(2).await?;
    let ended = rows::end_waiting(&pool, count).await?;
    pool.close().await;
    node.end().await?;
    Ok(ended * NODES as f64)
}

async fn chains(arguments: &Arguments, chain: Chain) -> Result<f64> {
    let count = arguments.sizes.executions;
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    chain.register(&node.engine).await?;
    chain.start(&node.engine, count).await?;
    let observer = node.postgres(1).await?;
    let stop = CancellationToken::new();
    let workers: Vec<_> = match chain {
        Chain::InPlace => Vec::new(),
        Chain::Queued => {
            (0..2).map(|number| tokio::spawn(work(node.engine.clone(), number, stop.clone()))).collect()
        }
    };
    let started_at = Instant::now();
    let pools = node.start_pool(QueueName::Execution, WORKERS, Handlers::new())?;
    let mut pause = tokio::time::interval(Duration::from_millis(20));
    while completed(&observer).await? < count {
        ensure!(started_at.elapsed() < STUCK_AFTER, "the workflows are stuck");
        ensure!(!workers.iter().any(tokio::task::JoinHandle::is_finished), "a worker ended early");
        pause.tick().await;
    }
    let elapsed = started_at.elapsed();
    stop.cancel();
    for worker in workers {
        worker.await??;
    }
    pools.drain(STUCK_AFTER, CancellationToken::new()).await;
    observer.close().await;
    node.end().await?;
    Ok((count * NODES) as f64 / elapsed.as_secs_f64())
}

/// Executions whose job is done.
async fn completed(observer: &PgPool) -> Result<usize> {
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM execution WHERE status = 'COMPLETED'")
        .fetch_one(observer)
        .await?;
    Ok(count as usize)
}
