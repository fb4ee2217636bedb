//! Bulk enqueue, then drain: how much of the raw speed is left when limits, leases, attempts and history are kept.

use std::time::Instant;

use anyhow::Result;
use domain::queue::QueueName;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::lanes::Lanes;
use crate::measure::rate;
use crate::node::{Node, node_slots_by_default};
use crate::reference::{PostgresReference, SqliteReference};
use crate::report::{Report, Target};

const EXPLANATION: &str = "Bulk enqueue in batches of 500, then drain. Reference: raw SQL of one `UNNEST` insert for \
    500 jobs, `SKIP LOCKED` claims and `DELETE … RETURNING` into a history table, two claimers, no limits. Trunkline: \
    the engine's enqueue, claim and settle, two claimers, attempts and history kept, limits of all three levels on; \
    `pool` runs the whole worker pool with a handler that does nothing, which is how jobs are worked on by default. On \
    SQLite one writer, `synchronous=FULL`; the reference uses the same driver.";

/// Batches of the claims, here and in the reference.
const BATCHES: [u32; 2] = [100, 500];
/// How many jobs a small pool holds at once.
const FEW_SLOTS: usize = 256;

/// Values of all runs, by figure.
#[derive(Debug, Default)]
struct Runs {
    enqueue: [Vec<f64>; 2],
    drain: [[Vec<f64>; 2]; 2],
    few_slots: Vec<f64>,
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
        for _ in 0..arguments.sizes.rounds {
            for (place, batch) in BATCHES.into_iter().enumerate() {
                let (enqueued, drained) = reference(arguments, kind, batch).await?;
                runs.enqueue[REFERENCE].push(enqueued);
                runs.drain[place][REFERENCE].push(drained);
                let (enqueued, drained) = engine(arguments, kind, batch).await?;
                runs.enqueue[OURS].push(enqueued);
                runs.drain[place][OURS].push(drained);
            }
            runs.few_slots.push(pool(arguments, kind, FEW_SLOTS).await?);
            runs.pool.push(pool(arguments, kind, node_slots_by_default()).await?);
        }
        add(&mut report, kind, &runs);
    }
    Ok(report)
}

fn add(report: &mut Report, kind: Kind, runs: &Runs) {
    let name = kind.name();
    let (enqueue_min, drain_min) = match kind {
        Kind::Postgres => (Some(0.6), 0.8),
        Kind::Sqlite => (None, 0.5),
    };
    let [reference, ours] = &runs.enqueue;
    let line = report.add(format!("{name}: bulk enqueue"), "jobs/s", reference, ours);
    if let Some(ratio) = enqueue_min {
        line.aim(Target::RatioMin(ratio));
    }
    for (place, batch) in BATCHES.into_iter().enumerate() {
        let [reference, ours] = &runs.drain[place];
        report.add(format!("{name}: drain, batch {batch}"), "jobs/s", reference, ours);
    }
    let [reference, _] = &runs.drain[0];
    let what = format!("{name}: drain by a pool of {FEW_SLOTS} slots (reference: batch 100)");
    report.add(what, "jobs/s", reference, &runs.few_slots);
    let what =
        format!("{name}: drain by the node pool's {} slots (reference: batch 100)", node_slots_by_default());
    report.add(what, "jobs/s", reference, &runs.pool).aim(Target::RatioMin(drain_min));
}

async fn reference(arguments: &Arguments, kind: Kind, batch: u32) -> Result<(f64, f64)> {
    let (server, count, batch) = (&arguments.postgres_url, arguments.sizes.jobs, i64::from(batch));
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
    let count = arguments.sizes.jobs;
    let node = Node::start(kind, &arguments.postgres_url).await?;
    let started_at = Instant::now();
    jobs::enqueue(&node.engine, count).await?;
    let enqueued = rate(count, started_at);
    node.vacuum().await?;
    let drained = jobs::drain(&node.engine, QueueName::Node, count, (2, batch)).await?;
    node.end().await?;
    Ok((enqueued, drained))
}

async fn pool(arguments: &Arguments, kind: Kind, slots: usize) -> Result<f64> {
    let count = arguments.sizes.jobs;
    let node = Node::start(kind, &arguments.postgres_url).await?;
    jobs::put(&node.engine, jobs::POOL_QUEUE, count, Lanes(1)).await?;
    node.vacuum().await?;
    let drained = jobs::drain_by_pool(&node, count, slots).await?;
    node.end().await?;
    Ok(drained)
}
