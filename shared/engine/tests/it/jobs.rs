//! The life of a job: claimed, retried, dead, cancelled, and never written by a lease that is gone.

use domain::failure::DeadReason;
use domain::job::{AttemptStatus, JobStatus};
use domain::names::{CallerKey, JobType};
use domain::time::DurationMs;
use engine::{EngineError, JobRequest};
use serde_json::json;
use store::PageRequest;
use store::dead_letters::DeadLetterFilter;
use store::jobs::{LeaseAnswer, LeaseExtension};
use testkit::{EngineHarness, lease_of};
use uuid::Uuid;

const PAGE: PageRequest = PageRequest { limit: 50, after: None };

fn job(job_type: &str) -> JobRequest {
    JobRequest::new(JobType::trusted(job_type), "{\"n\":1}")
}

async fn life_of_a_job(harness: EngineHarness) {
    let enqueued = harness.enqueue(job("encode")).await.unwrap();
    assert_eq!((enqueued.status, enqueued.existing), (JobStatus::Queued, false));
    let claimed = harness.poll(&["encode"], 5).await.unwrap().remove(0);
    assert_eq!((claimed.id, claimed.attempt, claimed.data.as_str()), (enqueued.id, 1, "{\"n\":1}"));
    harness.clock.advance(DurationMs::from_secs(20));
    let extension =
        LeaseExtension { lease: lease_of(&claimed), extend: None, progress: Some("{\"percent\":40}".into()) };
    let beat = harness.engine.heartbeat(&harness.admin(), vec![extension]).await.unwrap();
    let until = harness.engine.now().plus(DurationMs::from_secs(30));
    assert_eq!(beat, [Ok(LeaseAnswer::Ok(until))]);
    harness.clock.advance(DurationMs::from_secs(20));
    assert_eq!(harness.engine.reap_tick().await.unwrap(), 0, "the heartbeat renewed the lease");
    assert_eq!(harness.complete(&claimed, &json!({"ok": true})).await.unwrap(), LeaseAnswer::Ok(()));
    assert_eq!(harness.complete(&claimed, &json!({"ok": true})).await.unwrap(), LeaseAnswer::AlreadyDone);
    let record = harness.engine.job(&harness.admin(), enqueued.id).await.unwrap();
    assert_eq!((record.status, record.result.as_deref()), (JobStatus::Completed, Some("{\"ok\":true}")));
    assert_eq!(record.attempts.len(), 1);
    assert_eq!(record.attempts[0].status, Some(AttemptStatus::Completed));
}

async fn retries_wait_longer_each_time_and_end_as_a_dead_letter(harness: EngineHarness) {
    let request = JobRequest { retries_max: Some(2), ..job("encode") };
    let id = harness.enqueue(request).await.unwrap().id;
    for wait_secs in [1, 2] {
        let claimed = harness.poll(&["encode"], 1).await.unwrap().remove(0);
        assert_eq!(harness.fail(&claimed, true).await.unwrap(), LeaseAnswer::Ok(()));
        assert_eq!(
            harness.fail(&claimed, true).await.unwrap(),
            LeaseAnswer::AlreadyDone,
            "a repeated report"
        );
        let record = harness.engine.job(&harness.admin(), id).await.unwrap();
        assert_eq!(record.status, JobStatus::RetryWait);
        assert_eq!(record.run_at, harness.engine.now().plus(DurationMs::from_secs(wait_secs)));
        harness.clock.advance(DurationMs(wait_secs * 1_000 - 1));
        harness.engine.promote_tick().await.unwrap();
        assert!(harness.poll(&["encode"], 1).await.unwrap().is_empty(), "not before its time");
        harness.clock.advance(DurationMs(1));
        harness.engine.promote_tick().await.unwrap();
    }
    let claimed = harness.poll(&["encode"], 1).await.unwrap().remove(0);
    assert_eq!(claimed.attempt, 3);
    assert_eq!(harness.fail(&claimed, true).await.unwrap(), LeaseAnswer::Ok(()));
    assert_eq!(
        harness.fail(&claimed, true).await.unwrap(),
        LeaseAnswer::AlreadyDone,
        "a repeated last report"
    );
    let record = harness.engine.job(&harness.admin(), id).await.unwrap();
    assert_eq!((record.status, record.attempts.len()), (JobStatus::DeadLetter, 3));
    let filter = DeadLetterFilter::default();
    let letters = harness.engine.list_dead_letters(&harness.admin(), &filter, PAGE).await.unwrap().items;
    assert_eq!(letters.len(), 1);
    assert_eq!((letters[0].job_id, letters[0].reason), (id, DeadReason::RetriesExhausted));
}

async fn what_cannot_be_retried_dies_at_once(harness: EngineHarness) {
    let id = harness.enqueue(job("encode")).await.unwrap().id;
    let claimed = harness.poll(&["encode"], 1).await.unwrap().remove(0);
    harness.fail(&claimed, false).await.unwrap();
    assert_eq!(harness.engine.job(&harness.admin(), id).await.unwrap().status, JobStatus::DeadLetter);
}

async fn a_report_after_the_timeout_counts_as_a_timeout(harness: EngineHarness) {
    let request =
        JobRequest { timeout: Some(DurationMs::from_secs(1)), retries_max: Some(0), ..job("encode") };
    let id = harness.enqueue(request).await.unwrap().id;
    let claimed = harness.poll(&["encode"], 1).await.unwrap().remove(0);
    harness.clock.advance(DurationMs::from_secs(2));
    harness.fail(&claimed, true).await.unwrap();
    let record = harness.engine.job(&harness.admin(), id).await.unwrap();
    assert_eq!(record.status, JobStatus::DeadLetter);
    assert_eq!(record.attempts[0].status, Some(AttemptStatus::TimedOut));
}

async fn i02_a_lease_that_is_gone_writes_nothing(harness: EngineHarness) {
    let id = harness.enqueue(job("encode")).await.unwrap().id;
    let stale = harness.poll(&["encode"], 1).await.unwrap().remove(0);
    harness.clock.advance(DurationMs::from_secs(31));
    assert_eq!(harness.engine.reap_tick().await.unwrap(), 1);
    let live = harness.poll(&["encode"], 1).await.unwrap().remove(0);
    assert_ne!(stale.token, live.token);
    let replay = async || {
        assert_eq!(harness.complete(&stale, &json!("stale")).await.unwrap(), LeaseAnswer::LeaseLost);
        assert_eq!(harness.fail(&stale, true).await.unwrap(), LeaseAnswer::LeaseLost);
        assert_eq!(harness.fail(&stale, false).await.unwrap(), LeaseAnswer::LeaseLost);
        let extension = LeaseExtension { lease: lease_of(&stale), extend: None, progress: Some("1".into()) };
        let beat = harness.engine.heartbeat(&harness.admin(), vec![extension]).await.unwrap();
        assert_eq!(beat, [Ok(LeaseAnswer::LeaseLost)]);
        harness.engine.release(vec![lease_of(&stale)]).await.unwrap();
    };
    replay().await;
    let record = harness.engine.job(&harness.admin(), id).await.unwrap();
    assert_eq!((record.status, record.progress), (JobStatus::Processing, None));
    assert_eq!(harness.complete(&live, &json!("live")).await.unwrap(), LeaseAnswer::Ok(()));
    replay().await;
    let record = harness.engine.job(&harness.admin(), id).await.unwrap();
    assert_eq!((record.status, record.result.as_deref()), (JobStatus::Completed, Some("\"live\"")));
    let ends: Vec<_> = record.attempts.iter().map(|attempt| attempt.status).collect();
    assert_eq!(ends, [Some(AttemptStatus::WorkerLost), Some(AttemptStatus::Completed)]);
}

async fn a_job_that_loses_its_worker_three_times_dies(harness: EngineHarness) {
    let id = harness.enqueue(JobRequest { retries_max: Some(50), ..job("encode") }).await.unwrap().id;
    for _ in 0..3 {
        assert_eq!(harness.poll(&["encode"], 1).await.unwrap().len(), 1);
        harness.clock.advance(DurationMs::from_secs(31));
        assert_eq!(harness.engine.reap_tick().await.unwrap(), 1);
    }
    let record = harness.engine.job(&harness.admin(), id).await.unwrap();
    assert_eq!(record.status, JobStatus::DeadLetter);
    assert_eq!(record.error.and_then(|error| error.code).as_deref(), Some("worker_lost"));
}

async fn a_released_job_keeps_its_attempts(harness: EngineHarness) {
    harness.enqueue(JobRequest { retries_max: Some(0), ..job("encode") }).await.unwrap();
    for _ in 0..3 {
        let claimed = harness.poll(&["encode"], 1).await.unwrap().remove(0);
        assert_eq!(claimed.attempt, 1);
        harness.engine.release(vec![lease_of(&claimed)]).await.unwrap();
    }
    let claimed = harness.poll(&["encode"], 1).await.unwrap().remove(0);
    assert_eq!(harness.complete(&claimed, &json!(null)).await.unwrap(), LeaseAnswer::Ok(()));
}

async fn reaping_takes_page_after_page(mut harness: EngineHarness) {
    let policy = engine::Policy { upkeep_batch: 3, ..harness.engine.policy().clone() };
    harness = EngineHarness::with_policy(harness.store, policy);
    let requests = (0..10).map(|_| job("encode")).collect();
    harness.engine.enqueue(&harness.admin(), requests).await.unwrap();
    assert_eq!(harness.poll(&["encode"], 10).await.unwrap().len(), 10);
    harness.clock.advance(DurationMs::from_secs(31));
    assert_eq!(harness.engine.reap_tick().await.unwrap(), 10);
    assert_eq!(harness.poll(&["encode"], 10).await.unwrap().len(), 10);
}

async fn a_repeated_request_makes_the_same_rows(harness: EngineHarness) {
    let caller = engine::Caller { seed: Some(Uuid::from_u128(77)), ..harness.admin() };
    let first = harness.engine.enqueue(&caller, vec![job("a"), job("b")]).await.unwrap();
    let second = harness.engine.enqueue(&caller, vec![job("a"), job("b")]).await.unwrap();
    let ids = |jobs: &[store::jobs::Enqueued]| jobs.iter().map(|job| job.id).collect::<Vec<_>>();
    assert_eq!(ids(&first), ids(&second));
    assert!(second.iter().all(|job| job.existing));
    assert_eq!(harness.poll(&["a", "b"], 10).await.unwrap().len(), 2);
}

async fn a_unique_key_makes_one_job(harness: EngineHarness) {
    let request = JobRequest { unique_key: Some(CallerKey::trusted("order-1")), ..job("encode") };
    let first = harness.enqueue(request.clone()).await.unwrap();
    let second = harness.enqueue(request).await.unwrap();
    assert_eq!((second.id, second.existing), (first.id, true));
}

async fn faults_point_at_their_place_and_nothing_is_stored(harness: EngineHarness) {
    let good = job("encode");
    let bad = JobRequest { retries_max: Some(1_000), data: "\"\\u0000\"".into(), ..job("trunkline:http") };
    let answer = harness.engine.enqueue(&harness.admin(), vec![good, bad.clone()]).await;
    let Err(EngineError::Invalid(faults)) = answer else { panic!("{answer:?}") };
    let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/jobs/1/jobType", "/jobs/1/data", "/jobs/1/maxRetries"]);
    let Err(EngineError::Invalid(faults)) = harness.enqueue(bad).await else { panic!("it is as bad alone") };
    assert_eq!(faults[0].pointer, "/jobType");
    assert!(harness.poll(&["encode"], 10).await.unwrap().is_empty());
    let reserved = harness.poll(&["trunkline:http"], 1).await;
    assert!(matches!(reserved, Err(EngineError::Invalid(_))), "{reserved:?}");
}

on_both_databases!(
    life_of_a_job,
    retries_wait_longer_each_time_and_end_as_a_dead_letter,
    what_cannot_be_retried_dies_at_once,
    a_report_after_the_timeout_counts_as_a_timeout,
    i02_a_lease_that_is_gone_writes_nothing,
    a_job_that_loses_its_worker_three_times_dies,
    a_released_job_keeps_its_attempts,
    reaping_takes_page_after_page,
    a_repeated_request_makes_the_same_rows,
    a_unique_key_makes_one_job,
    faults_point_at_their_place_and_nothing_is_stored,
);
