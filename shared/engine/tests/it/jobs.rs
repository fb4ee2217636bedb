//! The life of a job: claimed, retried, dead, cancelled, and never written by a lease that is gone.

use domain::failure::DeadReason;
use domain::job::JobStatus;
use domain::names::{CallerKey, JobType};
use domain::time::DurationMs;
use engine::{EngineError, JobRequest, LeaseOutcome};
use serde_json::json;
use store::PageRequest;
use store::dead_letters::DeadLetterFilter;
use store::jobs::{AttemptStatus, LeaseExtension};
use testkit::{EngineBench, lease_of};
use uuid::Uuid;

const PAGE: PageRequest = PageRequest { limit: 50, after: None };

fn job(job_type: &str) -> JobRequest {
    JobRequest::new(JobType::trusted(job_type), "{\"n\":1}")
}

async fn life_of_a_job(bench: EngineBench) {
    let enqueued = bench.enqueue(job("encode")).await.unwrap();
    assert_eq!((enqueued.status, enqueued.existing), (JobStatus::Queued, false));
    let claimed = bench.poll(&["encode"], 5).await.unwrap().remove(0);
    assert_eq!((claimed.id, claimed.attempt, claimed.data.as_str()), (enqueued.id, 1, "{\"n\":1}"));
    bench.clock.advance(DurationMs::from_secs(20));
    let extension =
        LeaseExtension { lease: lease_of(&claimed), extend: None, progress: Some("{\"percent\":40}".into()) };
    let beat = bench.engine.heartbeat(&bench.admin(), vec![extension]).await.unwrap();
    let until = bench.engine.now().plus(DurationMs::from_secs(30));
    assert_eq!(beat, [Ok((LeaseOutcome::Ok, Some(until)))]);
    bench.clock.advance(DurationMs::from_secs(20));
    assert_eq!(bench.engine.reap_tick().await.unwrap(), 0, "the heartbeat renewed the lease");
    assert_eq!(bench.complete(&claimed, &json!({"ok": true})).await.unwrap(), LeaseOutcome::Ok);
    assert_eq!(bench.complete(&claimed, &json!({"ok": true})).await.unwrap(), LeaseOutcome::AlreadyDone);
    let record = bench.engine.job(&bench.admin(), enqueued.id).await.unwrap();
    assert_eq!((record.status, record.result.as_deref()), (JobStatus::Completed, Some("{\"ok\":true}")));
    assert_eq!(record.attempts.len(), 1);
    assert_eq!(record.attempts[0].status, Some(AttemptStatus::Completed));
}

async fn retries_wait_longer_each_time_and_end_as_a_dead_letter(bench: EngineBench) {
    let request = JobRequest { retries_max: Some(2), ..job("encode") };
    let id = bench.enqueue(request).await.unwrap().id;
    for wait_secs in [1, 2] {
        let claimed = bench.poll(&["encode"], 1).await.unwrap().remove(0);
        assert_eq!(bench.fail(&claimed, true).await.unwrap(), LeaseOutcome::Ok);
        assert_eq!(bench.fail(&claimed, true).await.unwrap(), LeaseOutcome::AlreadyDone, "a repeated report");
        let record = bench.engine.job(&bench.admin(), id).await.unwrap();
        assert_eq!(record.status, JobStatus::RetryWait);
        assert_eq!(record.run_at, bench.engine.now().plus(DurationMs::from_secs(wait_secs)));
        bench.clock.advance(DurationMs(wait_secs * 1_000 - 1));
        bench.engine.promote_tick().await.unwrap();
        assert!(bench.poll(&["encode"], 1).await.unwrap().is_empty(), "not before its time");
        bench.clock.advance(DurationMs(1));
        bench.engine.promote_tick().await.unwrap();
    }
    let claimed = bench.poll(&["encode"], 1).await.unwrap().remove(0);
    assert_eq!(claimed.attempt, 3);
    assert_eq!(bench.fail(&claimed, true).await.unwrap(), LeaseOutcome::Ok);
    assert_eq!(
        bench.fail(&claimed, true).await.unwrap(),
        LeaseOutcome::AlreadyDone,
        "a repeated last report"
    );
    let record = bench.engine.job(&bench.admin(), id).await.unwrap();
    assert_eq!((record.status, record.attempts.len()), (JobStatus::DeadLetter, 3));
    let filter = DeadLetterFilter::default();
    let letters = bench.engine.list_dead_letters(&bench.admin(), &filter, PAGE).await.unwrap().items;
    assert_eq!(letters.len(), 1);
    assert_eq!((letters[0].job_id, letters[0].reason), (id, DeadReason::RetriesExhausted));
}

async fn what_cannot_be_retried_dies_at_once(bench: EngineBench) {
    let id = bench.enqueue(job("encode")).await.unwrap().id;
    let claimed = bench.poll(&["encode"], 1).await.unwrap().remove(0);
    bench.fail(&claimed, false).await.unwrap();
    assert_eq!(bench.engine.job(&bench.admin(), id).await.unwrap().status, JobStatus::DeadLetter);
}

async fn a_report_after_the_timeout_counts_as_a_timeout(bench: EngineBench) {
    let request =
        JobRequest { timeout: Some(DurationMs::from_secs(1)), retries_max: Some(0), ..job("encode") };
    let id = bench.enqueue(request).await.unwrap().id;
    let claimed = bench.poll(&["encode"], 1).await.unwrap().remove(0);
    bench.clock.advance(DurationMs::from_secs(2));
    bench.fail(&claimed, true).await.unwrap();
    let record = bench.engine.job(&bench.admin(), id).await.unwrap();
    assert_eq!(record.status, JobStatus::DeadLetter);
    assert_eq!(record.attempts[0].status, Some(AttemptStatus::TimedOut));
}

async fn i02_a_lease_that_is_gone_writes_nothing(bench: EngineBench) {
    let id = bench.enqueue(job("encode")).await.unwrap().id;
    let stale = bench.poll(&["encode"], 1).await.unwrap().remove(0);
    bench.clock.advance(DurationMs::from_secs(31));
    assert_eq!(bench.engine.reap_tick().await.unwrap(), 1);
    let live = bench.poll(&["encode"], 1).await.unwrap().remove(0);
    assert_ne!(stale.token, live.token);
    let replay = async || {
        assert_eq!(bench.complete(&stale, &json!("stale")).await.unwrap(), LeaseOutcome::LeaseLost);
        assert_eq!(bench.fail(&stale, true).await.unwrap(), LeaseOutcome::LeaseLost);
        assert_eq!(bench.fail(&stale, false).await.unwrap(), LeaseOutcome::LeaseLost);
        let extension = LeaseExtension { lease: lease_of(&stale), extend: None, progress: Some("1".into()) };
        let beat = bench.engine.heartbeat(&bench.admin(), vec![extension]).await.unwrap();
        assert_eq!(beat, [Ok((LeaseOutcome::LeaseLost, None))]);
        bench.engine.release(vec![lease_of(&stale)]).await.unwrap();
    };
    replay().await;
    let record = bench.engine.job(&bench.admin(), id).await.unwrap();
    assert_eq!((record.status, record.progress), (JobStatus::Processing, None));
    assert_eq!(bench.complete(&live, &json!("live")).await.unwrap(), LeaseOutcome::Ok);
    replay().await;
    let record = bench.engine.job(&bench.admin(), id).await.unwrap();
    assert_eq!((record.status, record.result.as_deref()), (JobStatus::Completed, Some("\"live\"")));
    let ends: Vec<_> = record.attempts.iter().map(|attempt| attempt.status).collect();
    assert_eq!(ends, [Some(AttemptStatus::WorkerLost), Some(AttemptStatus::Completed)]);
}

async fn a_job_that_loses_its_worker_three_times_dies(bench: EngineBench) {
    let id = bench.enqueue(JobRequest { retries_max: Some(50), ..job("encode") }).await.unwrap().id;
    for _ in 0..3 {
        assert_eq!(bench.poll(&["encode"], 1).await.unwrap().len(), 1);
        bench.clock.advance(DurationMs::from_secs(31));
        assert_eq!(bench.engine.reap_tick().await.unwrap(), 1);
    }
    let record = bench.engine.job(&bench.admin(), id).await.unwrap();
    assert_eq!(record.status, JobStatus::DeadLetter);
    assert_eq!(record.error.and_then(|error| error.code).as_deref(), Some("worker_lost"));
}

async fn a_released_job_keeps_its_attempts(bench: EngineBench) {
    bench.enqueue(JobRequest { retries_max: Some(0), ..job("encode") }).await.unwrap();
    for _ in 0..3 {
        let claimed = bench.poll(&["encode"], 1).await.unwrap().remove(0);
        assert_eq!(claimed.attempt, 1);
        bench.engine.release(vec![lease_of(&claimed)]).await.unwrap();
    }
    let claimed = bench.poll(&["encode"], 1).await.unwrap().remove(0);
    assert_eq!(bench.complete(&claimed, &json!(null)).await.unwrap(), LeaseOutcome::Ok);
}

async fn reaping_takes_page_after_page(mut bench: EngineBench) {
    let policy = engine::Policy { upkeep_batch: 3, ..bench.engine.policy().clone() };
    bench = EngineBench::with_policy(bench.store, policy);
    let requests = (0..10).map(|_| job("encode")).collect();
    bench.engine.enqueue(&bench.admin(), requests).await.unwrap();
    assert_eq!(bench.poll(&["encode"], 10).await.unwrap().len(), 10);
    bench.clock.advance(DurationMs::from_secs(31));
    assert_eq!(bench.engine.reap_tick().await.unwrap(), 10);
    assert_eq!(bench.poll(&["encode"], 10).await.unwrap().len(), 10);
}

async fn a_repeated_request_makes_the_same_rows(bench: EngineBench) {
    let caller = engine::Caller { seed: Some(Uuid::from_u128(77)), ..bench.admin() };
    let first = bench.engine.enqueue(&caller, vec![job("a"), job("b")]).await.unwrap();
    let second = bench.engine.enqueue(&caller, vec![job("a"), job("b")]).await.unwrap();
    let ids = |jobs: &[store::jobs::Enqueued]| jobs.iter().map(|job| job.id).collect::<Vec<_>>();
    assert_eq!(ids(&first), ids(&second));
    assert!(second.iter().all(|job| job.existing));
    assert_eq!(bench.poll(&["a", "b"], 10).await.unwrap().len(), 2);
}

async fn a_unique_key_makes_one_job(bench: EngineBench) {
    let request = JobRequest { unique_key: Some(CallerKey::trusted("order-1")), ..job("encode") };
    let first = bench.enqueue(request.clone()).await.unwrap();
    let second = bench.enqueue(request).await.unwrap();
    assert_eq!((second.id, second.existing), (first.id, true));
}

async fn faults_point_at_their_place_and_nothing_is_stored(bench: EngineBench) {
    let good = job("encode");
    let bad = JobRequest { retries_max: Some(1_000), data: "\"\\u0000\"".into(), ..job("trunkline:http") };
    let answer = bench.engine.enqueue(&bench.admin(), vec![good, bad.clone()]).await;
    let Err(EngineError::Invalid(faults)) = answer else { panic!("{answer:?}") };
    let pointers: Vec<_> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(pointers, ["/jobs/1/jobType", "/jobs/1/data", "/jobs/1/maxRetries"]);
    let Err(EngineError::Invalid(faults)) = bench.enqueue(bad).await else { panic!("it is as bad alone") };
    assert_eq!(faults[0].pointer, "/jobType");
    assert!(bench.poll(&["encode"], 10).await.unwrap().is_empty());
    let reserved = bench.poll(&["trunkline:http"], 1).await;
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
