//! Filling queues and draining them through the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use async_trait::async_trait;
use domain::id::JobId;
use domain::job::Outcome;
use domain::names::{JobType, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::Timestamp;
use engine::{Caller, Engine, JobRequest, PoolClaim};
use store::jobs::{ClaimedJob, LeaseAnswer, NewJob};
use store::wakeup::Hint;
use tokio_util::sync::CancellationToken;
use worker::{Handler, HandlerEnd, Handlers};

use crate::lanes::{LaneOf, Lanes};
use crate::measure::rate;
use crate::node::Node;

/// About 110 bytes of JSON, as the reference stores.
pub(crate) fn payload(number: usize) -> String {
    format!(
        r#"{{"number":{number},"customer":"customer-0001","address":"12 Long Street, 10115 Berlin","amount":129.5,"ok":true}}"#
    )
}

/// How many jobs one statement of a bulk enqueue takes, here and in the reference.
pub(crate) const BULK: usize = 500;

/// The longest that any drain may take before it counts as stuck.
const STUCK_AFTER: Duration = Duration::from_mins(10);
/// How long a claimer waits that found nothing, here and in the reference.
pub(crate) const EMPTY_PAUSE: Duration = Duration::from_millis(1);

/// Enqueues jobs as the REST interface does, in batches.
pub(crate) async fn enqueue(engine: &Engine, count: usize) -> Result<()> {
    let caller = Caller::system();
    for start in (0..count).step_by(BULK) {
        let requests = (start..count.min(start + BULK))
            .map(|number| JobRequest::new(JobType::trusted("noop"), payload(number)))
            .collect();
        engine.enqueue(&caller, requests).await?;
    }
    Ok(())
}

/// Puts jobs on any queue, spread evenly over lanes.
pub(crate) async fn put(engine: &Engine, queue: QueueName, count: usize, lanes: Lanes) -> Result<()> {
    put_by(engine, queue, count, |number| lanes.of(number)).await
}

/// Puts jobs on any queue, each on the lane that is said for its number.
pub(crate) async fn put_by(
    engine: &Engine,
    queue: QueueName,
    count: usize,
    lane_of: impl Fn(usize) -> LaneOf,
) -> Result<()> {
    for start in (0..count).step_by(BULK) {
        let now = engine.now();
        let batch: Vec<NewJob> = (start..count.min(start + BULK))
            .map(|number| new_job(engine, queue, number, (lane_of(number), now)))
            .collect();
        engine.store().enqueue(&batch, now).await?;
    }
    engine.wakeup().send(&[Hint::Queue(queue)]);
    Ok(())
}

/// A job of a lane that may run now.
pub(crate) fn new_job(
    engine: &Engine,
    queue: QueueName,
    number: usize,
    (lane, now): (LaneOf, Timestamp),
) -> NewJob {
    NewJob {
        id: JobId::from_uuid(engine.entropy().uuid(now)),
        queue,
        tier: Tier::Normal,
        tenant: lane.tenant,
        workflow: lane.workflow,
        job_type: JobType::trusted("noop"),
        data: payload(number),
        run_at: now,
        expires_at: None,
        retries_max: 3,
        backoff: Backoff::default(),
        timeout: None,
        unique_key: None,
        concurrency_key: None,
        rate_key: lane.rate_key,
        tags: Vec::new(),
        traceparent: None,
        execution_id: None,
        node_id: None,
        attributes: Vec::new(),
    }
}

/// Claims one batch.
pub(crate) async fn claim(engine: &Engine, queue: QueueName, batch: u32) -> Result<Vec<ClaimedJob>> {
    claim_as(engine, queue, batch, WorkerId::trusted("load-tests")).await
}

/// The same under a name.
pub(crate) async fn claim_as(
    engine: &Engine,
    queue: QueueName,
    batch: u32,
    worker_id: WorkerId,
) -> Result<Vec<ClaimedJob>> {
    Ok(engine.claim(PoolClaim { queue, jobs_max: batch, worker_id, job_types: None }).await?)
}

/// Settles claimed jobs as done, and makes sure that none was lost.
pub(crate) async fn settle(engine: &Engine, jobs: Vec<ClaimedJob>) -> Result<()> {
    let reports = jobs.into_iter().map(|job| (job.lease(), job.facts, Outcome::Completed(None))).collect();
    let outcomes = engine.settle(reports).await?;
    ensure!(outcomes.iter().all(|outcome| *outcome == LeaseAnswer::Ok(())), "a lease was lost");
    Ok(())
}

/// Claims and settles until `count` jobs are done, with so many tasks; answers jobs a second.
pub(crate) async fn drain(
    engine: &Engine,
    queue: QueueName,
    count: usize,
    (claimers, batch): (usize, u32),
) -> Result<f64> {
    drain_on(&vec![engine; claimers], queue, count, batch).await
}

/// The same with one task for each engine that is given.
pub(crate) async fn drain_on(engines: &[&Engine], queue: QueueName, count: usize, batch: u32) -> Result<f64> {
    let done = AtomicUsize::new(0);
    let started_at = Instant::now();
    let claimer = async |engine: &Engine| {
        while done.load(Ordering::Relaxed) < count {
            ensure!(started_at.elapsed() < STUCK_AFTER, "the drain is stuck");
            let jobs = claim(engine, queue, batch).await?;
            if jobs.is_empty() {
                tokio::time::sleep(EMPTY_PAUSE).await;
                continue;
            }
            let settled = jobs.len();
            settle(engine, jobs).await?;
            done.fetch_add(settled, Ordering::Relaxed);
        }
        Ok(())
    };
    futures::future::try_join_all(engines.iter().map(|engine| claimer(engine))).await?;
    Ok(count as f64 / started_at.elapsed().as_secs_f64())
}

/// The built-in pool of the node queue takes its own job types only, so the jobs of a pool go to a queue whose pool
/// takes all.
pub(crate) const POOL_QUEUE: QueueName = QueueName::Scheduled;

/// Starts a pool on a full queue and waits until all is done and written; answers jobs a second.
pub(crate) async fn drain_by_pool(node: &Node, count: usize, slots: usize) -> Result<f64> {
    let noop = Arc::new(Noop { left: AtomicUsize::new(count), all_done: CancellationToken::new() });
    let mut handlers = Handlers::new();
    handlers.register(JobType::trusted("noop"), Arc::clone(&noop) as Arc<_>);
    let started_at = Instant::now();
    let pools = node.start_pool(POOL_QUEUE, slots, handlers)?;
    tokio::time::timeout(STUCK_AFTER, noop.all_done.cancelled()).await.context("the pool is stuck")?;
    // The drain ends when every report is written.
    pools.drain(STUCK_AFTER, CancellationToken::new()).await;
    let drained = rate(count, started_at);
    let left = claim(&node.engine, POOL_QUEUE, 1).await?;
    ensure!(left.is_empty(), "the pool left jobs behind");
    Ok(drained)
}

/// A handler that does nothing, counts, and says when all were here.
struct Noop {
    left: AtomicUsize,
    all_done: CancellationToken,
}

#[async_trait]
impl Handler for Noop {
    async fn run(&self, _job: &ClaimedJob, _stop: CancellationToken) -> HandlerEnd {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.all_done.cancel();
        }
        Outcome::Completed(None).into()
    }
}
