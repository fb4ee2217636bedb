//! Throughput while a snapshot stays open: dead rows cannot be removed, and claims must not wade through them.

use std::time::Instant;

use anyhow::Result;
use domain::queue::QueueName;
use sqlx::{Connection, Executor, PgConnection};

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::lanes::Lanes;
use crate::measure::percentile;
use crate::node::Node;
use crate::reference::PostgresReference;
use crate::report::{Report, Target};
use crate::scenarios::latency::starts;

const EXPLANATION: &str = "A drain on PostgreSQL (two claimers, batch 500) after many jobs have come and gone. Reference: \
    no snapshot, so that a vacuum has removed their dead rows. Beside it: the same while a transaction that began \
    before all of them keeps its snapshot, so that no vacuum can. For comparison the second line shows what the same \
    does to raw SQL with the usual partial index. *Start*: jobs that are enqueued alone on another node afterwards, 50 a \
    second, from enqueue to start, where the jobs that came and went were of one lane and of many.";

const BATCH: u32 = 500;
/// Lanes of the jobs that came and went, before starts are timed.
const LANES: [usize; 2] = [1, 5_000];
/// What a start may take in the median beside an old snapshot, in starts without one.
const START_RATIO_MAX: f64 = 1.5;

/// Runs it.
pub(crate) async fn old_snapshot(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Old snapshots", EXPLANATION);
    let mut runs: [[Vec<f64>; 2]; 2] = Default::default();
    let mut ages = Vec::new();
    for _ in 0..arguments.sizes.rounds {
        for (place, is_held) in [false, true].into_iter().enumerate() {
            let (rate, age_secs) = engine(arguments, is_held).await?;
            runs[0][place].push(rate);
            if is_held {
                ages.push(age_secs);
            }
            runs[1][place].push(raw(arguments, is_held).await?);
        }
    }
    let died = arguments.sizes.died;
    for lanes in LANES {
        let without = started(arguments, lanes, false).await?;
        let with = started(arguments, lanes, true).await?;
        // Of as few starts as these the 99th percentile is one of the longest two or five: it is shown and not judged.
        for (percent, target) in [(50.0, Some(Target::RatioMax(START_RATIO_MAX))), (99.0, None)] {
            let what = format!("start after {died} jobs of {lanes} lanes, p{percent}");
            let line =
                report.add(what, "ms", &[percentile(&without, percent)], &[percentile(&with, percent)]);
            if let Some(target) = target {
                line.aim(target);
            }
        }
    }
    let [[without, with], [raw_without, raw_with]] = &runs;
    let what = format!("drain after {died} jobs, with and without a snapshot");
    report.add(what, "jobs/s", without, with).aim(Target::RatioMin(0.7));
    report.add("the same in raw SQL (for comparison)", "jobs/s", raw_without, raw_with);
    let oldest = ages.into_iter().fold(0.0, f64::max);
    report.sections.push(format!("The snapshots were up to {oldest:.0} s old when the drain began."));
    Ok(report)
}

async fn engine(arguments: &Arguments, is_held: bool) -> Result<(f64, f64)> {
    let (queue, sizes) = (QueueName::Scheduled, &arguments.sizes);
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let snapshot = Snapshot::open(node.url(), is_held).await?;
    jobs::put(&node.engine, queue, sizes.died, Lanes(1)).await?;
    jobs::drain(&node.engine, queue, sizes.died, (2, BATCH)).await?;
    jobs::put(&node.engine, queue, sizes.jobs, Lanes(1)).await?;
    node.vacuum().await?;
    let age_secs = snapshot.opened_at.elapsed().as_secs_f64();
    let rate = jobs::drain(&node.engine, queue, sizes.jobs, (2, BATCH)).await?;
    snapshot.close().await?;
    node.end().await?;
    Ok((rate, age_secs))
}

/// Milliseconds from enqueue to start, after jobs of so many lanes have come and gone.
async fn started(arguments: &Arguments, lanes: usize, is_held: bool) -> Result<Vec<f64>> {
    let (queue, sizes) = (QueueName::Node, &arguments.sizes);
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let snapshot = Snapshot::open(node.url(), is_held).await?;
    let other = node.join().await?;
    jobs::put(&node.engine, queue, sizes.died, Lanes(lanes)).await?;
    jobs::drain(&other.engine, queue, sizes.died, (2, BATCH)).await?;
    node.vacuum().await?;
    let milliseconds = starts(&node, Some(&other), (sizes.seconds * 50) as usize).await?;
    snapshot.close().await?;
    other.end().await?;
    node.end().await?;
    Ok(milliseconds)
}

async fn raw(arguments: &Arguments, is_held: bool) -> Result<f64> {
    let sizes = &arguments.sizes;
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let snapshot = Snapshot::open(reference.url(), is_held).await?;
    reference.enqueue(sizes.died).await?;
    reference.drain(sizes.died, i64::from(BATCH)).await?;
    reference.enqueue(sizes.jobs).await?;
    reference.vacuum().await?;
    let rate = reference.drain(sizes.jobs, i64::from(BATCH)).await?;
    snapshot.close().await?;
    reference.end().await?;
    Ok(rate)
}

/// A transaction that may hold back every vacuum.
struct Snapshot {
    connection: PgConnection,
    opened_at: Instant,
}

impl Snapshot {
    async fn open(url: &str, is_held: bool) -> Result<Self> {
        let mut connection = PgConnection::connect(url).await?;
        if is_held {
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await?;
            // The first statement takes the snapshot, which lasts as long as the transaction.
            connection.execute("SELECT count(*) FROM pg_class").await?;
        }
        Ok(Self { connection, opened_at: Instant::now() })
    }

    /// Ends the transaction, where there is one, with its connection.
    async fn close(self) -> Result<()> {
        Ok(self.connection.close().await?)
    }
}
