//! Very many lanes of one job each, and what is left of them afterwards.

use std::time::{Duration, Instant};

use anyhow::Result;
use domain::queue::QueueName;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::lanes::Lanes;
use crate::machine::resident_mib;
use crate::measure::{ms, percentile};
use crate::node::Node;
use crate::report::{Report, Target};

const EXPLANATION: &str = "As many lanes as the crowd of the sizes, of one job each, on PostgreSQL: enqueued, drained in \
    batches of 500, and then nothing for as long as lanes that are not used are remembered. The reference column holds the \
    targets. *Memory kept* is what the process has resident in the end beyond what it had before; the drain is there to \
    compare versions.";

const QUEUE: QueueName = QueueName::Scheduled;
const BATCH: u32 = 500;
/// Lanes that are not used are forgotten within two minutes, by polls that find nothing.
const IDLE: Duration = Duration::from_secs(130);
const POLL_EVERY: Duration = Duration::from_secs(1);
/// Polls that are timed in the end, further apart than an empty listing is believed.
const POLLS: usize = 100;
const POLL_MS: f64 = 5.0;
const KEPT_MIB: f64 = 128.0;

/// Runs it.
pub(crate) async fn many_lanes(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Many lanes", EXPLANATION);
    let lanes = arguments.sizes.crowd;
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    jobs::put(&node.engine, QUEUE, 500, Lanes(1)).await?;
    jobs::drain(&node.engine, QUEUE, 500, (1, BATCH)).await?;
    let before = resident_mib("self")?;
    jobs::put(&node.engine, QUEUE, lanes, Lanes(lanes)).await?;
    node.vacuum().await?;
    let drained = jobs::drain(&node.engine, QUEUE, lanes, (2, BATCH)).await?;
    let full = resident_mib("self")? - before;
    let idle_since = Instant::now();
    while idle_since.elapsed() < IDLE {
        jobs::claim(&node.engine, QUEUE, BATCH).await?;
        tokio::time::sleep(POLL_EVERY).await;
    }
    let mut polls = Vec::with_capacity(POLLS);
    for _ in 0..POLLS {
        let started_at = Instant::now();
        jobs::claim(&node.engine, QUEUE, BATCH).await?;
        polls.push(ms(started_at.elapsed()));
        tokio::time::sleep(Duration::from_millis(110)).await;
    }
    let kept = (resident_mib("self")? - before).max(0.0);
    node.end().await?;
    let what = format!("{lanes} lanes");
    report.add(format!("{what}, drain, batch {BATCH}"), "jobs/s", &[0.0], &[drained]);
    report.add(format!("{what}, memory while they are known"), "MiB", &[0.0], &[full]);
    report.add(format!("{what}, memory kept"), "MiB", &[KEPT_MIB], &[kept]).aim(Target::ValueMax(KEPT_MIB));
    for percent in [50.0, 99.0] {
        let measured = percentile(&polls, percent);
        report
            .add(format!("{what}, poll afterwards"), &format!("ms p{percent}"), &[POLL_MS], &[measured])
            .aim(Target::ValueMax(POLL_MS));
    }
    Ok(report)
}
