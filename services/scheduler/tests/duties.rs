//! The duties over a real store.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::id::JobId;
use domain::job::JobStatus;
use domain::names::JobType;
use domain::time::DurationMs;
use engine::{CalibratedClock, JOB_TYPE_SCHEDULE_CHECK, JobRequest, RetentionPolicy};
use scheduler::UpkeepOptions;
use testkit::database::{TestStore, sqlite_memory};
use testkit::{EngineHarness, eventually};

const SOON: DurationMs = DurationMs(5);

async fn harness() -> (EngineHarness, TestStore) {
    let database = sqlite_memory().await;
    (EngineHarness::new(Arc::clone(&database.store) as _), database)
}

fn options() -> UpkeepOptions {
    UpkeepOptions { promote_every: SOON, reap_every: SOON, prune_every: SOON, ..UpkeepOptions::default() }
}

async fn status(harness: &EngineHarness, id: JobId) -> Option<JobStatus> {
    let job = harness.store.job(&TenantScope::All, id).await.expect("a read works");
    job.map(|job| job.status)
}

async fn reaches(harness: &EngineHarness, id: JobId, expected: JobStatus) {
    eventually(expected.as_str(), || async { status(harness, id).await == Some(expected) }).await;
}

#[tokio::test]
async fn due_jobs_are_promoted() {
    let (harness, _database) = harness().await;
    let mut request = JobRequest::new(JobType::trusted("encode"), "{}");
    request.delay = Some(DurationMs::from_secs(60));
    let id = harness.enqueue(request).await.expect("enqueued").id;
    let upkeep = scheduler::start(&harness.engine, options());
    assert_eq!(status(&harness, id).await, Some(JobStatus::Scheduled));
    harness.clock.advance(DurationMs::from_secs(60));
    reaches(&harness, id, JobStatus::Queued).await;
    upkeep.stop().await;
}

#[tokio::test]
async fn jobs_of_lost_workers_are_taken_back() {
    let (harness, _database) = harness().await;
    let id = harness.enqueue(JobRequest::new(JobType::trusted("encode"), "{}")).await.expect("enqueued").id;
    let lost = harness.take("encode").await;
    let upkeep = scheduler::start(&harness.engine, options());
    assert_eq!(status(&harness, id).await, Some(JobStatus::Processing));
    harness.clock.advance(DurationMs::from_secs(31));
    reaches(&harness, id, JobStatus::Queued).await;
    upkeep.stop().await;
    assert_ne!(harness.take("encode").await.token, lost.token);
}

#[tokio::test]
async fn old_jobs_are_removed() {
    let (harness, _database) = harness().await;
    let id = harness.enqueue(JobRequest::new(JobType::trusted("encode"), "{}")).await.expect("enqueued").id;
    let job = harness.take("encode").await;
    harness.complete(&job, &serde_json::Value::Null).await.expect("completed");
    let upkeep = scheduler::start(&harness.engine, options());
    harness.clock.advance(DurationMs(RetentionPolicy::default().completed.0 + 1_000));
    eventually("the job is gone", || async { status(&harness, id).await.is_none() }).await;
    upkeep.stop().await;
}

#[tokio::test]
async fn duties_can_be_stopped_while_the_store_is_away() {
    let (harness, _database) = harness().await;
    harness.store.close().await;
    let clock =
        Arc::new(CalibratedClock::start(sqlite_memory().await.store.as_ref()).await.expect("a clock"));
    let upkeep = scheduler::start(&harness.engine, options());
    let calibration = scheduler::start_own(&harness.engine, clock, DurationMs::from_secs(5));
    // Every tick fails; let some of them do so.
    tokio::task::yield_now().await;
    upkeep.stop().await;
    calibration.stop().await;
}

#[tokio::test]
async fn nodes_that_start_in_the_same_minute_make_one_check() {
    let (harness, _database) = harness().await;
    let nodes = [harness.node(2), harness.node(3), harness.node(4)];
    let upkeeps: Vec<_> = nodes.iter().map(|node| scheduler::start(&node.engine, options())).collect();
    let checks = async || harness.jobs("queue:workflow-scheduled").await;
    eventually("the check", || async { !checks().await.is_empty() }).await;
    for upkeep in upkeeps {
        upkeep.stop().await;
    }
    let checks = checks().await;
    assert_eq!(checks.len(), 1);
    assert_eq!((checks[0].job_type.as_str(), checks[0].status), (JOB_TYPE_SCHEDULE_CHECK, JobStatus::Queued));
}
