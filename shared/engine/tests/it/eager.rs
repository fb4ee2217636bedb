//! The eager start: a poll that waits is handed a job that was leased as it was stored, or one that it claims itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::job::JobStatus;
use domain::names::{JobType, WorkerId};
use domain::time::DurationMs;
use engine::{CompleteItem, JobRequest, PollRequest};
use store::jobs::{ClaimedJob, Enqueued, LeaseAnswer};
use testkit::EngineHarness;
use tokio::task::JoinHandle;

fn request(wait: Option<DurationMs>) -> PollRequest {
    PollRequest {
        worker_id: WorkerId::trusted("w"),
        job_types: vec![JobType::trusted("encode")],
        jobs_max: 5,
        lease: None,
        wait,
        tenant: None,
        build: None,
        builds: Vec::new(),
    }
}

async fn enqueue(harness: &EngineHarness) -> Enqueued {
    let job = JobRequest::new(JobType::trusted("encode"), "{}");
    harness.engine.enqueue(&harness.admin(), vec![job]).await.unwrap().remove(0)
}

/// A worker that waits. Calls of others give it the time to look first and to find nothing.
async fn waiting(harness: &Arc<EngineHarness>) -> JoinHandle<Vec<ClaimedJob>> {
    let theirs = Arc::clone(harness);
    let poll = tokio::spawn(async move {
        let long_poll = request(Some(DurationMs::from_secs(20)));
        theirs.engine.poll(&theirs.admin(), long_poll).await.unwrap().taken()
    });
    let other = PollRequest { job_types: vec![JobType::trusted("other")], ..request(None) };
    for _ in 0..4 {
        assert!(harness.engine.poll(&harness.admin(), other.clone()).await.unwrap().jobs.is_empty());
    }
    poll
}

async fn complete(harness: &EngineHarness, jobs: &[ClaimedJob]) {
    let items = jobs
        .iter()
        .map(|job| CompleteItem { lease: job.lease(), result: None, attributes: BTreeMap::new() })
        .collect();
    let outcomes = harness.engine.complete(&harness.admin(), items).await.unwrap();
    assert!(outcomes.iter().all(|outcome| *outcome == Ok(LeaseAnswer::Ok(()))), "{outcomes:?}");
}

/// Answers how many of the jobs were leased as they were stored.
async fn lease_to_waiting_polls(harness: EngineHarness) -> usize {
    let harness = Arc::new(harness);
    let mut eager = 0;
    for _ in 0..20 {
        let poll = waiting(&harness).await;
        let job = enqueue(&harness).await;
        let jobs = poll.await.unwrap();
        assert_eq!(jobs.iter().map(|job| (job.id, job.attempt)).collect::<Vec<_>>(), [(job.id, 1)]);
        complete(&harness, &jobs).await;
        eager += usize::from(job.status == JobStatus::Processing);
    }
    eager
}

async fn a_poll_that_waits_gets_the_job_that_comes(harness: EngineHarness) {
    lease_to_waiting_polls(harness).await;
}

#[tokio::test]
async fn a_waiting_poll_is_handed_jobs_as_they_are_stored() {
    let eager = lease_to_waiting_polls(crate::on_postgres().await).await;
    assert!(eager > 0, "no job was leased eagerly");
}

fn one(worker: &str) -> PollRequest {
    PollRequest { worker_id: WorkerId::trusted(worker), jobs_max: 1, ..request(None) }
}

/// A report that polls next is answered with what waits, and without anything where nothing does.
async fn a_report_takes_the_next_job(harness: EngineHarness) {
    let (first, second) = (enqueue(&harness).await, enqueue(&harness).await);
    let mut jobs = harness.engine.poll(&harness.admin(), one("w")).await.unwrap().taken();
    for expected in [vec![second.id], vec![]] {
        let next = harness.engine.poll_next(&harness.admin(), one("w")).unwrap();
        complete(&harness, &jobs).await;
        jobs = next.jobs().await.taken();
        assert_eq!(jobs.iter().map(|job| job.id).collect::<Vec<_>>(), expected, "after {}", first.id);
    }
}

/// A poll that waits in line while its worker reports may get a job that comes meanwhile, leased as it is stored or
/// claimed afterwards.
async fn a_report_takes_a_job_that_comes_meanwhile(harness: EngineHarness) {
    let done = enqueue(&harness).await;
    let jobs = harness.engine.poll(&harness.admin(), one("w")).await.unwrap().taken();
    assert_eq!(jobs[0].id, done.id);
    let next = harness.engine.poll_next(&harness.admin(), one("w")).unwrap();
    let come = enqueue(&harness).await;
    complete(&harness, &jobs).await;
    let taken = next.jobs().await.taken();
    assert_eq!(taken.iter().map(|job| job.id).collect::<Vec<_>>(), [come.id]);
    complete(&harness, &taken).await;
}

/// Jobs that come together are leased together, each for another of the polls that wait.
async fn jobs_that_come_together_go_to_several_polls(harness: EngineHarness) {
    let admin = harness.admin();
    for _ in 0..5 {
        let polls: Vec<_> = (0..4)
            .map(|number| harness.engine.poll_next(&admin, one(&format!("w{number}"))).unwrap())
            .collect();
        let job = || JobRequest::new(JobType::trusted("encode"), "{}");
        let stored = harness.engine.enqueue(&admin, vec![job(), job(), job()]).await.unwrap();
        let mut taken = Vec::new();
        for poll in polls {
            let jobs = poll.jobs().await.taken();
            assert!(jobs.len() <= 1, "a poll asked for one job");
            taken.extend(jobs);
        }
        let mut ids: Vec<_> = taken.iter().map(|job| job.id).collect();
        ids.sort_unstable();
        let mut expected: Vec<_> = stored.iter().map(|stored| stored.id).collect();
        expected.sort_unstable();
        assert_eq!(ids, expected);
        complete(&harness, &taken).await;
    }
}

/// A worker that hangs up while a job is being leased for it costs the job nothing.
async fn a_job_for_a_poll_that_hung_up_goes_back(harness: EngineHarness) {
    let harness = Arc::new(harness);
    for turn in 0_usize..20 {
        let poll = waiting(&harness).await;
        let theirs = Arc::clone(&harness);
        let storing = tokio::spawn(async move { enqueue(&theirs).await });
        // At another point of the commit each time.
        for _ in 0..turn % 5 {
            tokio::task::yield_now().await;
        }
        poll.abort();
        let stored = storing.await.unwrap().id;
        let mut jobs = poll.await.unwrap_or_default();
        if jobs.is_empty() {
            jobs = harness
                .engine
                .poll(&harness.admin(), request(Some(DurationMs::from_secs(20))))
                .await
                .unwrap()
                .taken();
        }
        assert_eq!(jobs.iter().map(|job| (job.id, job.attempt)).collect::<Vec<_>>(), [(stored, 1)]);
        complete(&harness, &jobs).await;
    }
}

on_both_databases!(
    a_poll_that_waits_gets_the_job_that_comes,
    a_job_for_a_poll_that_hung_up_goes_back,
    a_report_takes_the_next_job,
    a_report_takes_a_job_that_comes_meanwhile,
    jobs_that_come_together_go_to_several_polls,
);
