//! The latencies, on the same node and on another.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use domain::names::JobType;
use domain::queue::QueueName;
use store::wakeup::Hint;
use tokio_util::sync::CancellationToken;
use worker::Handlers;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs::new_job;
use crate::lanes::Lanes;
use crate::measure::percentile;
use crate::node::Node;
use crate::reference::{PostgresReference, notify};
use crate::report::{Report, Target};
use crate::scenarios::latency::Times;

const EXPLANATION: &str = "50 jobs a second on PostgreSQL, each enqueued alone; the time from the call of enqueue to \
    the start of the handler. *Other node*: a node whose store and engine are apart from the sender's, so that the hint \
    travels over the database; reference: raw SQL of an insert with `NOTIFY` in one transaction, a listener, and a \
    claim of one job. *Same node*: reference: raw SQL that inserts the job as claimed and starts its handler in the \
    same process when the insert is committed, the least that can be. Smaller is better.";

const QUEUE: QueueName = QueueName::Scheduled;
const EVERY: Duration = Duration::from_millis(20);
const WORKERS: usize = 16;
const PERCENTS: [f64; 3] = [50.0, 95.0, 99.0];

/// Runs it.
pub(crate) async fn latency(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("From enqueue to start", EXPLANATION);
    let mut runs: [Vec<Vec<f64>>; 4] = Default::default();
    for _ in 0..arguments.sizes.rounds {
        runs[0].push(raw_notified(arguments).await?);
        runs[1].push(pool(arguments, true).await?);
        runs[2].push(raw_direct(arguments).await?);
        runs[3].push(pool(arguments, false).await?);
    }
    let [notified, other, direct, same] = runs;
    for (what, reference, ours) in [("other node", &notified, &other), ("same node", &direct, &same)] {
        for percent in PERCENTS {
            let of = |runs: &[Vec<f64>]| runs.iter().map(|run| percentile(run, percent)).collect::<Vec<_>>();
            let line =
                report.add(format!("enqueue to start, {what}, p{percent}"), "ms", &of(reference), &of(ours));
            if percent < 60.0 {
                line.aim(Target::RatioMax(1.5));
            } else if percent > 98.0 {
                line.aim(Target::ValueMax(5.0));
            }
        }
    }
    Ok(report)
}

/// Milliseconds of our own pool.
pub(crate) async fn pool(arguments: &Arguments, is_other_node: bool) -> Result<Vec<f64>> {
    let count = count(arguments);
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    let other = if is_other_node { Some(node.join().await?) } else { None };
    let times = Times::new(count);
    let mut handlers = Handlers::new();
    handlers.register(JobType::trusted("noop"), Arc::clone(&times) as Arc<_>);
    let pools = other.as_ref().unwrap_or(&node).start_pool(QUEUE, WORKERS, handlers)?;
    let mut ticks = tokio::time::interval(EVERY);
    for number in 0..count {
        ticks.tick().await;
        times.send(number);
        let now = node.engine.now();
        let job = new_job(&node.engine, QUEUE, number, (Lanes(1).of(number), now));
        node.engine.store().enqueue(&[job], now).await?;
        node.engine.wakeup().send(&[Hint::Queue(QUEUE)]);
    }
    let milliseconds = times.milliseconds().await?;
    pools.drain(Duration::from_secs(10), CancellationToken::new()).await;
    if let Some(other) = other {
        other.end().await?;
    }
    node.end().await?;
    Ok(milliseconds)
}

/// Milliseconds of raw SQL over `NOTIFY`.
pub(crate) async fn raw_notified(arguments: &Arguments) -> Result<Vec<f64>> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let times = Times::new(count(arguments));
    let starts = Arc::clone(&times);
    let worker = notify::listen(&reference.pool, move |data| starts.start(data)).await?;
    let mut ticks = tokio::time::interval(EVERY);
    for number in 0..count(arguments) {
        ticks.tick().await;
        times.send(number);
        notify::send_notified(&reference.pool, number).await?;
    }
    let milliseconds = times.milliseconds().await?;
    worker.abort();
    // It ends by being cut off, which is what was asked for.
    let _ = worker.await;
    reference.end().await?;
    Ok(milliseconds)
}

async fn raw_direct(arguments: &Arguments) -> Result<Vec<f64>> {
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    let times = Times::new(count(arguments));
    let mut ticks = tokio::time::interval(EVERY);
    for number in 0..count(arguments) {
        ticks.tick().await;
        times.send(number);
        let id = notify::send_claimed(&reference.pool, number).await?;
        times.start_number(number);
        notify::complete(&reference.pool, id).await?;
    }
    let milliseconds = times.milliseconds().await?;
    reference.end().await?;
    Ok(milliseconds)
}

const fn count(arguments: &Arguments) -> usize {
    (arguments.sizes.seconds * 50) as usize
}
