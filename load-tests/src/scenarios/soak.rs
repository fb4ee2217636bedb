//! Enqueue and drain at once, for long: checkpoints and autovacuum included.

use anyhow::Result;
use domain::queue::QueueName;

use crate::arguments::Arguments;
use crate::counters::{Counted, Counters};
use crate::database::Kind;
use crate::jobs;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::{Report, Target};

const EXPLANATION: &str = "One producer in batches of 500 and two claimers with batches of 500 at once, on PostgreSQL, \
    until all is done: the log is written, checkpoints and autovacuum run meanwhile. Then what it cost: bytes of \
    write-ahead log and commits for each finished job, and dead rows that wait for a vacuum. Reference: raw SQL, the \
    same number of producers and claimers.";

const BATCH: u32 = 500;

type Figure = fn(&Run) -> f64;

/// What one run came to.
struct Run {
    jobs: f64,
    rate: f64,
    counted: Counted,
}

/// Runs it.
pub(crate) async fn soak(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Sustained load", EXPLANATION);
    let count = arguments.sizes.soak;
    let (mut raw, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..arguments.sizes.rounds {
        raw.push(reference(arguments, count).await?);
        ours.push(engine(arguments, count).await?);
    }
    let of = |runs: &[Run], value: Figure| runs.iter().map(value).collect::<Vec<f64>>();
    let figures: [(&str, &str, Figure); 4] = [
        ("enqueued and drained at once", "jobs/s", |run| run.rate),
        ("write-ahead log", "bytes/job", |run| run.counted.wal_bytes / run.jobs),
        ("commits", "commits/job", |run| run.counted.commits / run.jobs),
        ("dead rows afterwards", "rows", |run| run.counted.dead_tuples),
    ];
    for (what, unit, value) in figures {
        let line = report.add(format!("{count} jobs: {what}"), unit, &of(&raw, value), &of(&ours, value));
        if unit == "jobs/s" {
            line.aim(Target::RatioMin(0.5));
        }
    }
    Ok(report)
}

async fn reference(arguments: &Arguments, count: usize) -> Result<Run> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let counters = Counters::start(reference.url()).await?;
    let (_, rate) = tokio::try_join!(reference.enqueue(count), reference.drain(count, i64::from(BATCH)))?;
    let counted = counters.end().await?;
    reference.end().await?;
    Ok(Run { jobs: count as f64, rate, counted })
}

async fn engine(arguments: &Arguments, count: usize) -> Result<Run> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let counters = Counters::start(node.url()).await?;
    let (engine, queue) = (&node.engine, QueueName::Node);
    let ((), rate) =
        tokio::try_join!(jobs::enqueue(engine, count), jobs::drain(engine, queue, count, (2, BATCH)))?;
    let counted = counters.end().await?;
    node.end().await?;
    Ok(Run { jobs: count as f64, rate, counted })
}
