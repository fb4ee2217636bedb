//! How fast retention removes finished jobs.

use std::time::Instant;

use anyhow::{Result, ensure};
use domain::queue::QueueName;

use super::row::only_finished_jobs;
use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::lanes::Lanes;
use crate::measure::rate;
use crate::node::Node;
use crate::report::{Report, Target};

const EXPLANATION: &str = "Jobs of 500 lanes that were enqueued, claimed and completed, removed by retention in the batches of \
    upkeep, one after the other, with their attempts and their places in the indexes. There is nothing to compare with; the \
    reference column holds the rate at which jobs may end without retention falling behind.";

/// How many jobs a second it has to keep up with.
const TARGET: f64 = 5_000.0;
const QUEUE: QueueName = QueueName::Node;
const LANES: usize = 500;

/// Runs it.
pub(crate) async fn prune(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Retention", EXPLANATION);
    for kind in [Kind::Postgres, Kind::Sqlite] {
        let mut rates = Vec::new();
        for _ in 0..arguments.sizes.rounds {
            rates.push(removed(arguments, kind).await?);
        }
        report
            .add(format!("finished jobs removed, {}", kind.name()), "jobs/s", &[TARGET], &rates)
            .aim(Target::ValueMin(TARGET));
    }
    Ok(report)
}

async fn removed(arguments: &Arguments, kind: Kind) -> Result<f64> {
    let node = Node::start(kind, &arguments.postgres_url).await?;
    let count = arguments.sizes.jobs;
    jobs::put(&node.engine, QUEUE, count, Lanes(LANES)).await?;
    jobs::drain(&node.engine, QUEUE, count, (2, 500)).await?;
    let (store, batch) = (node.engine.store(), node.engine.policy().upkeep_batch);
    let retention = only_finished_jobs(node.engine.now());
    let (begun_at, mut gone) = (Instant::now(), 0);
    while gone < count as u64 {
        let removed = store.prune(&retention, batch).await?;
        ensure!(removed > 0, "{} jobs were not removed", count as u64 - gone);
        gone += removed;
    }
    let rate = rate(count, begun_at);
    node.end().await?;
    Ok(rate)
}
