//! Very many lanes of one job each, and what is left of them afterwards.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use domain::queue::{QueueName, Tier};

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs;
use crate::lanes::{LaneOf, Lanes};
use crate::machine::resident_mib;
use crate::measure::{ms, percentile};
use crate::node::Node;
use crate::report::{Report, Target};

const EXPLANATION: &str = "A million lanes (--many-lanes) of one job each, on PostgreSQL: enqueued, drained in batches of 500, \
    and then nothing for as long as lanes that are not used are remembered. The reference column holds the \
    targets. While all of them are full, another node polls after completions here, and looks for a job of the highest tier \
    of which no node was notified. *Memory kept* is what the process has resident in the end beyond what it had before; \
    the drain is there to \
    compare versions.";

const QUEUE: QueueName = QueueName::Scheduled;
const BATCH: u32 = 500;
/// Lanes that are not used are forgotten within two minutes, by polls that find nothing. The thread that drops them ends ten
/// seconds later, with which the allocator gives their memory back.
const IDLE: Duration = Duration::from_secs(140);
const POLL_EVERY: Duration = Duration::from_secs(1);
/// Polls that are timed in the end, further apart than an empty listing is believed.
const POLLS: usize = 100;
const POLL_MS: f64 = 5.0;
const KEPT_MIB: f64 = 128.0;

/// Within so long a job of the highest tier is found of which no node was notified, with room for one look.
const LOST_SECS: f64 = 2.0;
/// Polls of another node, and how many jobs this one completes before each.
const ROUNDS: usize = 200;
const PER_ROUND: u32 = 5;
/// How long a hint takes to another node, with room.
const TRAVEL: Duration = Duration::from_millis(10);

/// Runs it.
pub(crate) async fn many_lanes(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Many lanes", EXPLANATION);
    let lanes = arguments.sizes.many_lanes;
    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    jobs::put(&node.engine, QUEUE, 500, Lanes(1)).await?;
    jobs::drain(&node.engine, QUEUE, 500, (1, BATCH)).await?;
    let before = resident_mib("self")?;
    jobs::put(&node.engine, QUEUE, lanes, Lanes(lanes)).await?;
    node.vacuum().await?;
    let other = node.join().await?;
    let after_completions = polls_of_another_node(&node, &other).await?;
    let unheard = unannounced(&node, &other).await?;
    other.end().await?;
    let lanes_left = lanes - (ROUNDS + 1) * (PER_ROUND as usize + 1) - unheard.others;
    let drained = jobs::drain(&node.engine, QUEUE, lanes_left, (2, BATCH)).await?;
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
    for percent in [50.0, 99.0] {
        report
            .add(
                format!("{what}, poll of another node after completions"),
                &format!("ms p{percent}"),
                &[POLL_MS],
                &[percentile(&after_completions, percent)],
            )
            .aim(Target::ValueMax(POLL_MS));
    }
    report
        .add(
            format!("{what}, until a high job is found that nobody announced"),
            "s",
            &[LOST_SECS],
            &[unheard.secs],
        )
        .aim(Target::ValueMax(LOST_SECS));
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

/// Milliseconds of polls of a node after another one has completed jobs.
async fn polls_of_another_node(node: &Node, other: &Node) -> Result<Vec<f64>> {
    // It lists the lanes once.
    let mut milliseconds = Vec::with_capacity(ROUNDS);
    for round in 0..=ROUNDS {
        let here = jobs::claim(&node.engine, QUEUE, PER_ROUND).await?;
        jobs::settle(&node.engine, here).await?;
        tokio::time::sleep(TRAVEL).await;
        let started_at = Instant::now();
        let there = jobs::claim(&other.engine, QUEUE, 1).await?;
        if round > 0 {
            milliseconds.push(ms(started_at.elapsed()));
        }
        jobs::settle(&other.engine, there).await?;
    }
    Ok(milliseconds)
}

/// What it took to find a job of which no node was notified.
struct Unannounced {
    secs: f64,
    /// How many others were claimed meanwhile.
    others: usize,
}

/// Puts a job of the highest tier into a lane behind the backs of all nodes.
async fn unannounced(node: &Node, other: &Node) -> Result<Unannounced> {
    let now = node.engine.now();
    let mut high = jobs::new_job(&node.engine, QUEUE, 0, (LaneOf::new("urgent", 0), now));
    high.tier = Tier::High;
    node.engine.store().enqueue(&[high.clone()], now).await?;
    let first = jobs::claim(&node.engine, QUEUE, 1).await?;
    ensure!(first.iter().any(|job| job.id == high.id), "the higher tier comes first");
    let pool = node.postgres(1).await?;
    sqlx::query(
        "INSERT INTO job (id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at,
           created_at, tier, data)
         SELECT gen_random_uuid(), queue, lane, 'queued', 0, 0, 3, 0, run_at, queued_at, created_at, tier, data
         FROM job WHERE id = $1",
    )
    .bind(high.id.uuid())
    .execute(&pool)
    .await?;
    let (started_at, mut others) = (Instant::now(), 0);
    jobs::settle(&node.engine, first).await?;
    loop {
        let found = jobs::claim(&other.engine, QUEUE, 1).await?;
        let is_high = found.iter().any(|job| job.tier == Tier::High);
        others += usize::from(!is_high && !found.is_empty());
        jobs::settle(&other.engine, found).await?;
        if is_high {
            break;
        }
        ensure!(started_at.elapsed() < Duration::from_mins(1), "it is not found");
        tokio::time::sleep(TRAVEL).await;
    }
    pool.close().await;
    Ok(Unannounced { secs: started_at.elapsed().as_secs_f64(), others })
}
