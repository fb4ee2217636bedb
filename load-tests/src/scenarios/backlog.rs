//! The cost of a claim with few and with many jobs waiting.

use std::time::Instant;

use anyhow::Result;
use domain::queue::QueueName;
use sqlx::Executor;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::measure::{ms, percentile};
use crate::node::Node;
use crate::report::Report;

const EXPLANATION: &str = "The median time of one claim of 100 jobs through the engine, limits on, one lane and 100 \
    lanes, on PostgreSQL. Here the reference is the engine itself with 1,000 jobs waiting: a ratio of 1 means that a \
    claim does not care how many wait. Each claim is followed by its settlement and by as many new jobs.";

const SMALL: usize = 1_000;
const BATCH: u32 = 100;
const CLAIMS: usize = 60;

/// Runs it.
pub(crate) async fn backlog(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Claim and backlog", EXPLANATION);
    for lanes in [1, 100] {
        let (mut small, mut large) = (Vec::new(), Vec::new());
        let (few, many) =
            (filled(arguments, SMALL, lanes).await?, filled(arguments, arguments.backlog, lanes).await?);
        for _ in 0..arguments.rounds {
            small.push(claim_ms(&few, lanes).await?);
            large.push(claim_ms(&many, lanes).await?);
        }
        few.end().await?;
        many.end().await?;
        let what = format!("claim of {BATCH}, {} waiting, {lanes} lane(s)", arguments.backlog);
        report.add(what, "ms p50", &small, &large);
    }
    Ok(report)
}

async fn filled(arguments: &Arguments, count: usize, lanes: usize) -> Result<Node> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    jobs::put(&node.engine, QueueName::Scheduled, count, lanes).await?;
    let pool = node.database.postgres(1).await?;
    pool.execute("VACUUM ANALYZE job").await?;
    pool.close().await;
    Ok(node)
}

async fn claim_ms(node: &Node, lanes: usize) -> Result<f64> {
    let mut times = Vec::with_capacity(CLAIMS);
    for _ in 0..CLAIMS {
        let started_at = Instant::now();
        let claimed = jobs::claim(&node.engine, QueueName::Scheduled, BATCH).await?;
        times.push(ms(started_at.elapsed()));
        let count = claimed.len();
        jobs::settle(&node.engine, claimed).await?;
        jobs::put(&node.engine, QueueName::Scheduled, count, lanes).await?;
    }
    Ok(percentile(&times, 50.0))
}
