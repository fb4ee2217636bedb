//! The same runs for Trunkline and for raw SQL.

use std::time::Instant;

use anyhow::Result;

use crate::arguments::Arguments;
use crate::counters::{Counted, Counters};
use crate::database::Kind;
use crate::jobs;
use crate::lanes::Lanes;
use crate::measure::{percentile, rate};
use crate::node::{Node, node_slots_by_default};
use crate::peers::Figures;
use crate::reference::PostgresReference;
use crate::scenarios::latency;

/// Raw SQL: batches of 100, two claimers.
pub(super) async fn raw(arguments: &Arguments) -> Result<Figures> {
    let count = arguments.sizes.peer_jobs;
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let mut counters = Counters::start(reference.url()).await?;
    let enqueue = reference.enqueue(count).await?;
    counters.leave_out(reference.vacuum()).await?;
    let drain = reference.drain(count, 100).await?;
    let counted = counters.end().await?;
    reference.end().await?;
    let times = latency::raw_notified(arguments).await?;
    Ok(figures("", (enqueue, drain), (counted, count), &times))
}

/// Trunkline: a pool of as many slots as it has by default.
pub(super) async fn trunkline(arguments: &Arguments) -> Result<Figures> {
    let count = arguments.sizes.peer_jobs;
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let started_at = Instant::now();
    jobs::enqueue(&node.engine, count).await?;
    let enqueue = rate(count, started_at);
    node.end().await?;

    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let mut counters = Counters::start(node.url()).await?;
    jobs::put(&node.engine, jobs::POOL_QUEUE, count, Lanes(1)).await?;
    counters.leave_out(node.vacuum()).await?;
    let drain = jobs::drain_by_pool(&node, count, node_slots_by_default()).await?;
    let counted = counters.end().await?;
    node.end().await?;
    let times = latency::polled(arguments, false).await?;
    Ok(figures(env!("CARGO_PKG_VERSION"), (enqueue, drain), (counted, count), &times))
}

fn figures(
    version: &str,
    (enqueue, drain): (f64, f64),
    (counted, count): (Counted, usize),
    times: &[f64],
) -> Figures {
    Figures {
        version: version.to_owned(),
        enqueue: Some(enqueue),
        drain: Some(drain),
        p50_ms: Some(percentile(times, 50.0)),
        p99_ms: Some(percentile(times, 99.0)),
        wal_bytes: Some(counted.wal_bytes / count as f64),
        commits: Some(counted.commits / count as f64),
        dead_tuples: Some(counted.dead_tuples),
        steps: Vec::new(),
    }
}
