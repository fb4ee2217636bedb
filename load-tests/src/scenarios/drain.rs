//! Bulk enqueue, then drain: how much of the raw speed is left when limits, leases, attempts and history are kept.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::names::JobType;
use domain::queue::QueueName;
use sqlx::Executor;
use tokio_util::sync::CancellationToken;
use worker::Handlers;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs::{self, Noop};
use crate::measure::rate;
use crate::node::Node;
use crate::reference::{PostgresReference, SqliteReference};
use crate::report::Report;

const EXPLANATION: &str = "Bulk enqueue in batches of 500, then drain. Reference: raw SQL of one `UNNEST` insert for \
    500 jobs, `SKIP LOCKED` claims and `DELETE … RETURNING` into a history table, two claimers, no limits. Trunkline: \
    the engine's enqueue, claim and settle, two claimers, attempts and history kept, limits of all three levels on; \
    `pool` runs the whole worker pool with a handler that does nothing. On SQLite one writer, `synchronous=FULL`; \
    the reference uses the same driver.";

/// Batches of the claims, here and in the reference.
const BATCHES: [u32; 2] = [100, 500];
/// Jobs that the pool may hold at once.
const HANDS: usize = 1_000;
/// The longest that a pool may take.
const STUCK_AFTER: Duration = Duration::from_mins(2);

/// Values of all runs, by figure.
#[derive(Debug, Default)]
struct Runs {
    enqueue: [Vec<f64>; 2],
    drain: [[Vec<f64>; 2]; 2],
    pool: Vec<f64>,
}

/// The first of two values is the reference's.
const REFERENCE: usize = 0;
const OURS: usize = 1;

/// Runs it on both databases.
pub(crate) async fn drain(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Enqueue and drain", EXPLANATION);
    for kind in [Kind::Postgres, Kind::Sqlite] {
        let mut runs = Runs::default();
        for _ in 0..arguments.rounds {
            for (place, batch) in BATCHES.into_iter().enumerate() {
                let (enqueued, drained) = reference(arguments, kind, batch).await?;
                runs.enqueue[REFERENCE].push(enqueued);
                runs.drain[place][REFERENCE].push(drained);
                let (enqueued, drained) = engine(arguments, kind, batch).await?;
                runs.enqueue[OURS].push(enqueued);
                runs.drain[place][OURS].push(drained);
            }
            runs.pool.push(pool(arguments, kind).await?);
        }
        let name = kind.name();
        report.add(format!("{name}: bulk enqueue"), "jobs/s", &runs.enqueue[REFERENCE], &runs.enqueue[OURS]);
        for (place, batch) in BATCHES.into_iter().enumerate() {
            let [reference, ours] = &runs.drain[place];
            report.add(format!("{name}: drain, batch {batch}"), "jobs/s", reference, ours);
        }
        let [reference, _] = &runs.drain[1];
        report.add(
            format!("{name}: drain by a pool of {HANDS} hands (reference: batch 500)"),
            "jobs/s",
            reference,
            &runs.pool,
        );
    }
    Ok(report)
}

async fn reference(arguments: &Arguments, kind: Kind, batch: u32) -> Result<(f64, f64)> {
    let (server, count, batch) = (&arguments.postgres_url, arguments.jobs, i64::from(batch));
    match kind {
        Kind::Postgres => {
            let reference = PostgresReference::start(server).await?;
            let enqueued = reference.enqueue(count).await?;
            reference.vacuum().await?;
            let drained = reference.drain(count, batch).await?;
            reference.end().await?;
            Ok((enqueued, drained))
        }
        Kind::Sqlite => {
            let reference = SqliteReference::start(server).await?;
            let enqueued = reference.enqueue(count).await?;
            let drained = reference.drain(count, batch).await?;
            reference.end().await?;
            Ok((enqueued, drained))
        }
    }
}

async fn engine(arguments: &Arguments, kind: Kind, batch: u32) -> Result<(f64, f64)> {
    let node = Node::start(kind, &arguments.postgres_url).await?;
    let started_at = Instant::now();
    jobs::enqueue(&node.engine, arguments.jobs).await?;
    let enqueued = rate(arguments.jobs, started_at);
    vacuum(&node, kind).await?;
    let drained = jobs::drain(&node.engine, QueueName::Node, arguments.jobs, (2, batch)).await?;
    node.end().await?;
    Ok((enqueued, drained))
}

/// The built-in pool of the node queue takes its own job types only, so the jobs go to a queue whose pool takes all.
async fn pool(arguments: &Arguments, kind: Kind) -> Result<f64> {
    let (queue, count) = (QueueName::Scheduled, arguments.jobs);
    let node = Node::start(kind, &arguments.postgres_url).await?;
    jobs::put(&node.engine, queue, count, 1).await?;
    vacuum(&node, kind).await?;
    let noop = Arc::new(Noop { left: AtomicUsize::new(count), all_done: CancellationToken::new() });
    let mut handlers = Handlers::new();
    handlers.register(JobType::trusted("noop"), Arc::clone(&noop) as Arc<_>);
    let started_at = Instant::now();
    let pools = node.start_pool(queue, HANDS, handlers)?;
    tokio::time::timeout(STUCK_AFTER, noop.all_done.cancelled()).await.context("the pool is stuck")?;
    // The drain ends when every report is written.
    pools.drain(STUCK_AFTER, CancellationToken::new()).await;
    let drained = rate(count, started_at);
    let left = jobs::claim(&node.engine, queue, 1).await?;
    ensure!(left.is_empty(), "the pool left jobs behind");
    node.end().await?;
    Ok(drained)
}

/// Cleans up after the inserts, as the reference does.
async fn vacuum(node: &Node, kind: Kind) -> Result<()> {
    if kind == Kind::Postgres {
        let pool = node.database.postgres(1).await?;
        pool.execute("VACUUM ANALYZE job").await?;
        pool.close().await;
    }
    Ok(())
}
