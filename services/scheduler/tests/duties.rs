//! The duties over a real store.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::id::JobId;
use domain::job::JobStatus;
use domain::names::JobType;
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::{CalibratedClock, JOB_TYPE_SCHEDULE_CHECK, JobRequest};
use scheduler::UpkeepOptions;
use store::PageRequest;
use store::jobs::JobFilter;
use testkit::database::{TestStore, sqlite_memory};
use testkit::{EngineBench, eventually};

const SOON: DurationMs = DurationMs(5);

async fn bench() -> (EngineBench, TestStore) {
    let database = sqlite_memory().await;
    (EngineBench::new(Arc::clone(&database.store) as _), database)
}

fn options() -> UpkeepOptions {
    UpkeepOptions { promote_every: SOON, reap_every: SOON, prune_every: SOON, ..UpkeepOptions::default() }
}

async fn status(bench: &EngineBench, id: JobId) -> Option<JobStatus> {
    let job = bench.store.job(&TenantScope::All, id).await.expect("a read works");
    job.map(|job| job.status)
}

async fn reaches(bench: &EngineBench, id: JobId, expected: JobStatus) {
    eventually(expected.as_str(), || async { status(bench, id).await == Some(expected) }).await;
}

#[tokio::test]
async fn due_jobs_are_promoted() {
    let (bench, _database) = bench().await;
    let mut request = JobRequest::new(JobType::trusted("encode"), "{}");
    request.delay = Some(DurationMs::from_secs(60));
    let id = bench.enqueue(request).await.expect("enqueued").id;
    let upkeep = scheduler::start(&bench.engine, options());
    assert_eq!(status(&bench, id).await, Some(JobStatus::Scheduled));
    bench.clock.advance(DurationMs::from_secs(60));
    reaches(&bench, id, JobStatus::Queued).await;
    upkeep.stop().await;
}

#[tokio::test]
async fn jobs_of_lost_workers_are_taken_back() {
    let (bench, _database) = bench().await;
    let id = bench.enqueue(JobRequest::new(JobType::trusted("encode"), "{}")).await.expect("enqueued").id;
    let lost = bench.take("encode").await;
    let upkeep = scheduler::start(&bench.engine, options());
    assert_eq!(status(&bench, id).await, Some(JobStatus::Processing));
    bench.clock.advance(DurationMs::from_secs(31));
    reaches(&bench, id, JobStatus::Queued).await;
    upkeep.stop().await;
    assert_ne!(bench.take("encode").await.token, lost.token);
}

#[tokio::test]
async fn old_jobs_are_removed() {
    let (bench, _database) = bench().await;
    let id = bench.enqueue(JobRequest::new(JobType::trusted("encode"), "{}")).await.expect("enqueued").id;
    let job = bench.take("encode").await;
    bench.complete(&job, &serde_json::Value::Null).await.expect("completed");
    let upkeep = scheduler::start(&bench.engine, options());
    bench.clock.advance(DurationMs(options().retention.completed.0 + 1_000));
    eventually("the job is gone", || async { status(&bench, id).await.is_none() }).await;
    upkeep.stop().await;
}

#[tokio::test]
async fn duties_can_be_stopped_while_the_store_is_away() {
    let (bench, _database) = bench().await;
    bench.store.close().await;
    let clock =
        Arc::new(CalibratedClock::start(sqlite_memory().await.store.as_ref()).await.expect("a clock"));
    let upkeep = scheduler::start(&bench.engine, options());
    let calibration = scheduler::start_own(&bench.engine, clock, DurationMs::from_secs(5));
    // Every tick fails; let some of them do so.
    tokio::task::yield_now().await;
    upkeep.stop().await;
    calibration.stop().await;
}

#[tokio::test]
async fn nodes_that_start_in_the_same_minute_make_one_check() {
    let (bench, _database) = bench().await;
    let nodes = [bench.node(2), bench.node(3), bench.node(4)];
    let upkeeps: Vec<_> = nodes.iter().map(|node| scheduler::start(&node.engine, options())).collect();
    let filter =
        JobFilter { job_type: Some(JobType::trusted(JOB_TYPE_SCHEDULE_CHECK)), ..JobFilter::default() };
    let page = PageRequest { limit: 10, after: None };
    let checks = async || {
        let jobs = bench.store.list_jobs(&TenantScope::All, &filter, page).await;
        jobs.expect("a read works").items
    };
    eventually("the check", || async { !checks().await.is_empty() }).await;
    for upkeep in upkeeps {
        upkeep.stop().await;
    }
    let checks = checks().await;
    assert_eq!(checks.len(), 1);
    assert_eq!((checks[0].queue, checks[0].status), (QueueName::Scheduled, JobStatus::Queued));
}
