//! The cost of a claim: with many waiting, with many waiting behind blocked lanes, with many running.

use std::time::Instant;

use anyhow::{Result, ensure};
use domain::limits::QueueLimits;
use domain::queue::QueueName;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::lanes::{LaneOf, Lanes};
use crate::measure::{ms, percentile};
use crate::node::Node;
use crate::report::{Report, Target};

const EXPLANATION: &str = "The median time of one claim of 100 jobs through the engine, limits on, on PostgreSQL, with \
    much of something beside little of it. Here the reference is the engine itself with little: a ratio of 1 means \
    that a claim does not care. Each claim is followed by its settlement and by as many new jobs. *Waiting*: jobs that \
    could be claimed. *Blocked*: jobs of 100 tenants that have as many running as they may (10 each); the claims get \
    the jobs of ten other tenants. *Running*: jobs that are leased by others.";

const QUEUE: QueueName = QueueName::Scheduled;
const BATCH: u32 = 100;
const CLAIMS: usize = 60;
const FEW_WAITING: usize = 1_000;
const FEW_BLOCKED: usize = 10_000;
const FEW_RUNNING: usize = 100;
/// Jobs that wait while running ones are varied.
const WAITING_BESIDE: usize = 10_000;
/// What each tenant may run where lanes are to be blocked, and how many tenants are.
const TENANT_MAX: u32 = 10;
const BLOCKED_TENANTS: usize = 100;
const FREE_TENANTS: usize = 10;

/// Runs it.
pub(crate) async fn backlog(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Claim and backlog", EXPLANATION);
    let sizes = &arguments.sizes;
    for lanes in [1, 500] {
        let few = waiting(arguments, FEW_WAITING, lanes).await?;
        let many = waiting(arguments, sizes.backlog, lanes).await?;
        let what = format!("{} against {FEW_WAITING} waiting, {lanes} lane(s)", sizes.backlog);
        let lane_of = |number| Lanes(lanes).of(number);
        compare(&mut report, arguments, &what, (few, many), (lane_of, 1.2)).await?;
    }
    let few = blocked(arguments, FEW_BLOCKED).await?;
    let many = blocked(arguments, sizes.backlog).await?;
    let what = format!("{} against {FEW_BLOCKED} behind blocked lanes", sizes.backlog);
    compare(&mut report, arguments, &what, (few, many), (free_lane, 1.1)).await?;
    let few = running(arguments, FEW_RUNNING).await?;
    let many = running(arguments, sizes.running).await?;
    let what = format!("{} against {FEW_RUNNING} running, 500 lanes", sizes.running);
    compare(&mut report, arguments, &what, (few, many), (|number| Lanes(500).of(number), 1.2)).await?;
    Ok(report)
}

/// Times claims on both in turns.
async fn compare(
    report: &mut Report,
    arguments: &Arguments,
    what: &str,
    (few, many): (Node, Node),
    (lane_of, ratio): (impl Fn(usize) -> LaneOf, f64),
) -> Result<()> {
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for _ in 0..arguments.sizes.rounds {
        small.push(claim_ms(&few, &lane_of).await?);
        large.push(claim_ms(&many, &lane_of).await?);
    }
    few.end().await?;
    many.end().await?;
    report.add(what, "ms p50", &small, &large).aim(Target::RatioMax(ratio));
    Ok(())
}

async fn waiting(arguments: &Arguments, count: usize, lanes: usize) -> Result<Node> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    jobs::put(&node.engine, QUEUE, count, Lanes(lanes)).await?;
    node.vacuum().await?;
    Ok(node)
}

/// All tenants but ten have as many running as they may, and `count` jobs wait behind them.
async fn blocked(arguments: &Arguments, count: usize) -> Result<Node> {
    let limits = QueueLimits { global: Some(900_000), tenant: Some(TENANT_MAX), workflow: Some(700_000) };
    let node = Node::start_with(Kind::Postgres, &arguments.postgres_url, limits).await?;
    let blocked = |number: usize| LaneOf::new(&format!("tenant-{}", number % BLOCKED_TENANTS), 0);
    jobs::put_by(&node.engine, QUEUE, count.max(BLOCKED_TENANTS * TENANT_MAX as usize), blocked).await?;
    lease(&node, BLOCKED_TENANTS * TENANT_MAX as usize).await?;
    ensure!(jobs::claim(&node.engine, QUEUE, 1).await?.is_empty(), "a lane at its limit was served");
    jobs::put_by(&node.engine, QUEUE, BATCH as usize, free_lane).await?;
    node.vacuum().await?;
    Ok(node)
}

fn free_lane(number: usize) -> LaneOf {
    LaneOf::new(&format!("free-{}", number % FREE_TENANTS), 0)
}

async fn running(arguments: &Arguments, count: usize) -> Result<Node> {
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    jobs::put(&node.engine, QUEUE, count + WAITING_BESIDE, Lanes(500)).await?;
    lease(&node, count).await?;
    node.vacuum().await?;
    Ok(node)
}

/// Claims so many and keeps them: nobody takes leases back here.
async fn lease(node: &Node, count: usize) -> Result<()> {
    let mut left = count;
    while left > 0 {
        let claimed = jobs::claim(&node.engine, QUEUE, left.min(500) as u32).await?;
        ensure!(!claimed.is_empty(), "{left} of {count} jobs could not be claimed");
        left -= claimed.len();
    }
    Ok(())
}

async fn claim_ms(node: &Node, lane_of: &impl Fn(usize) -> LaneOf) -> Result<f64> {
    let mut times = Vec::with_capacity(CLAIMS);
    for _ in 0..CLAIMS {
        let started_at = Instant::now();
        let claimed = jobs::claim(&node.engine, QUEUE, BATCH).await?;
        times.push(ms(started_at.elapsed()));
        let count = claimed.len();
        ensure!(count > 0, "there was nothing to claim");
        jobs::settle(&node.engine, claimed).await?;
        jobs::put_by(&node.engine, QUEUE, count, lane_of).await?;
    }
    Ok(percentile(&times, 50.0))
}
