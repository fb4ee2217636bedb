//! A small tenant behind a very large one.

use std::time::Instant;

use anyhow::{Result, ensure};
use domain::queue::QueueName;
use sqlx::Row;

use crate::arguments::Arguments;
use crate::database::Kind;
use crate::jobs::{self, payload};
use crate::lanes::LaneOf;
use crate::measure::ms;
use crate::node::Node;
use crate::reference::{PostgresReference, insert_for};
use crate::report::{Report, Target};

const EXPLANATION: &str = "One tenant has very many jobs waiting, another enqueues ten after them, on PostgreSQL. How \
    many claims of 100 jobs pass until the last of the ten has started, all ten enqueued at once, and for each of ten \
    that are enqueued one by one between claims (the worst of the ten). Reference: raw SQL that serves in order of \
    arrival, which is what a queue without lanes does. The target is one claim.";

const QUEUE: QueueName = QueueName::Scheduled;
const BATCH: u32 = 100;
const FEW: usize = 10;
const LARGE: &str = "large";
const SMALL: &str = "small";

/// Runs it once: a count of claims has no spread worth repeating.
pub(crate) async fn fairness(arguments: &Arguments) -> Result<Report> {
    let mut report = Report::new("Fairness", EXPLANATION);
    let crowd = arguments.sizes.crowd;
    let (raw_claims, raw_ms) = raw(arguments, crowd).await?;

    let node = Node::start(Kind::Postgres, &arguments.postgres_url).await?;
    jobs::put_by(&node.engine, QUEUE, crowd, |_| LaneOf::new(LARGE, 0)).await?;
    node.vacuum().await?;
    jobs::put_by(&node.engine, QUEUE, FEW, |_| LaneOf::new(SMALL, 0)).await?;
    let (claims, elapsed_ms) = until_started(&node, FEW).await?;
    let what = format!("{FEW} jobs behind {crowd}, enqueued at once: until all have started");
    report.add(&what, "claims", &[raw_claims], &[claims as f64]).aim(Target::ValueMax(1.0));
    report.add(&what, "ms", &[raw_ms], &[elapsed_ms]);

    let mut worst = 0;
    for _ in 0..FEW {
        // The large tenant is served in between, so that it is not simply the small one's turn each time.
        let served = jobs::claim(&node.engine, QUEUE, BATCH).await?;
        jobs::settle(&node.engine, served).await?;
        jobs::put_by(&node.engine, QUEUE, 1, |_| LaneOf::new(SMALL, 0)).await?;
        worst = worst.max(until_started(&node, 1).await?.0);
    }
    let what = format!("{FEW} jobs behind {crowd}, one by one: the longest wait of one");
    report.add(&what, "claims", &[raw_claims], &[worst as f64]).aim(Target::ValueMax(1.0));
    node.end().await?;
    Ok(report)
}

/// Claims and settles until so many jobs of the small tenant have started; answers how many claims that took, and ms.
async fn until_started(node: &Node, wanted: usize) -> Result<(usize, f64)> {
    let started_at = Instant::now();
    let (mut claims, mut started) = (0, 0);
    loop {
        let claimed = jobs::claim(&node.engine, QUEUE, BATCH).await?;
        ensure!(!claimed.is_empty(), "the queue ran empty before the small tenant was served");
        claims += 1;
        started += claimed.iter().filter(|job| job.tenant.as_str() == SMALL).count();
        let elapsed = started_at.elapsed();
        jobs::settle(&node.engine, claimed).await?;
        if started >= wanted {
            return Ok((claims, ms(elapsed)));
        }
    }
}

async fn raw(arguments: &Arguments, crowd: usize) -> Result<(f64, f64)> {
    const SERVED: &str = "SELECT count(*) FROM ref_history WHERE tenant = 'small'";
    let reference = PostgresReference::start(&arguments.postgres_url).await?;
    reference.enqueue(crowd).await?;
    insert_for(&reference.pool, &[SMALL; FEW], (0..FEW).map(payload).collect()).await?;
    reference.vacuum().await?;
    let started_at = Instant::now();
    let (mut claims, mut done) = (0, 0);
    loop {
        let ids = reference.claim(i64::from(BATCH)).await?;
        ensure!(!ids.is_empty(), "the reference ran empty");
        claims += 1;
        done += ids.len();
        reference.complete(&ids).await?;
        // The small tenant is the last: nobody need look for it before.
        if done > crowd {
            let served: i64 = sqlx::query(SERVED).fetch_one(&reference.pool).await?.try_get(0)?;
            if served as usize >= FEW {
                break;
            }
        }
    }
    let elapsed = ms(started_at.elapsed());
    reference.end().await?;
    Ok((f64::from(claims), elapsed))
}
