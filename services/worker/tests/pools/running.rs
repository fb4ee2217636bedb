//! What pools run, and what becomes of it.

use std::sync::atomic::Ordering;

use domain::job::{AttemptStatus, JobStatus};
use domain::names::JobType;
use domain::queue::QueueName;
use domain::time::DurationMs;
use std::sync::Arc;
use testkit::eventually;
use worker::Handlers;

use crate::harness::{Panics, PoolHarness, Succeeds, Waits, handlers, stop};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_run_and_their_results_are_settled() {
    let harness = PoolHarness::new().await;
    let ids = harness.put(QueueName::Webhook, "good", 40).await;
    let pools = harness.start(QueueName::Webhook, 4, handlers("good", Succeeds));
    for id in ids {
        let job = harness.reaches(id, JobStatus::Completed).await;
        assert_eq!(job.result.as_deref(), Some("\"done\""));
        assert_eq!(job.worker_id.map(|id| id.to_string()), Some("test/workflow-webhook".to_owned()));
    }
    assert!(stop(pools).await.in_time);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panicking_handler_fails_only_its_own_job() {
    let harness = PoolHarness::new().await;
    let mut table = handlers("bad", Panics);
    let waits = Waits::default();
    table.register(JobType::trusted("slow"), Arc::new(waits.clone()));
    let slow = harness.put(QueueName::Webhook, "slow", 2).await;
    let pools = harness.start(QueueName::Webhook, 4, table);
    waits.entered(2).await;

    let bad = harness.put(QueueName::Webhook, "bad", 3).await;
    harness.hint(QueueName::Webhook);
    for id in bad {
        let job = harness.reaches(id, JobStatus::RetryWait).await;
        let error = job.error.expect("an error");
        assert_eq!(error.code.as_deref(), Some("panic"));
        assert!(error.message.contains("no good"), "{}", error.message);
    }
    assert_eq!(waits.count(), 2, "the siblings go on");
    waits.release.cancel();
    for id in slow {
        harness.reaches(id, JobStatus::Completed).await;
    }
    assert!(stop(pools).await.in_time);
}

#[tokio::test]
async fn a_job_without_a_handler_dies_at_once() {
    let harness = PoolHarness::new().await;
    let ids = harness.put(QueueName::Scheduled, "unheard-of", 1).await;
    let pools = harness.start(QueueName::Scheduled, 1, Handlers::new());
    let job = harness.reaches(ids[0], JobStatus::DeadLetter).await;
    assert_eq!(job.error.and_then(|error| error.code).as_deref(), Some("no_handler"));
    stop(pools).await;
}

#[tokio::test]
async fn the_node_pool_leaves_foreign_types_to_others() {
    let harness = PoolHarness::new().await;
    let foreign = harness.put(QueueName::Node, "encode", 1).await;
    let own = harness.put(QueueName::Node, "trunkline:http", 1).await;
    let mut table = handlers("trunkline:http", Succeeds);
    table.register(JobType::trusted("encode"), Arc::new(Succeeds));
    let pools = harness.start(QueueName::Node, 2, table);
    harness.reaches(own[0], JobStatus::Completed).await;
    stop(pools).await;
    assert_eq!(harness.job(foreign[0]).await.status, JobStatus::Queued);
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_is_timed_out() {
    let harness = PoolHarness::new().await;
    let waits = Waits::default();
    let ids = harness
        .put_with(QueueName::Webhook, "slow", 1, |job| {
            job.timeout = Some(DurationMs(100));
            job.retries_max = 0;
        })
        .await;
    let pools = harness.start(QueueName::Webhook, 1, handlers("slow", waits.clone()));
    let job = harness.reaches(ids[0], JobStatus::DeadLetter).await;
    assert_eq!(job.attempts[0].status, Some(AttemptStatus::TimedOut));
    waits.left().await;
    assert!(stop(pools).await.in_time);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pool_never_holds_more_leases_than_slots() {
    let harness = PoolHarness::new().await;
    harness.put(QueueName::Webhook, "slow", 12).await;
    let waits = Waits::default();
    let pools = harness.start(QueueName::Webhook, 3, handlers("slow", waits.clone()));
    waits.entered(3).await;
    // Hints, polls and time do not make it take more.
    for _ in 0..20 {
        harness.hint(QueueName::Webhook);
        tokio::task::yield_now().await;
        assert_eq!(harness.count(JobStatus::Processing).await, 3);
    }
    waits.release.cancel();
    eventually("all are completed", || async {
        assert!(harness.count(JobStatus::Processing).await <= 3);
        harness.count(JobStatus::Completed).await == 12
    })
    .await;
    assert_eq!(waits.inside_max.load(Ordering::SeqCst), 3);
    assert!(stop(pools).await.in_time);
}

#[tokio::test]
async fn a_poll_finds_jobs_that_nobody_announced() {
    let harness = PoolHarness::new().await;
    let pools = harness.start(QueueName::Webhook, 1, handlers("good", Succeeds));
    for _ in 0..3 {
        let ids = harness.put(QueueName::Webhook, "good", 1).await;
        harness.reaches(ids[0], JobStatus::Completed).await;
    }
    assert!(stop(pools).await.in_time);
}

#[tokio::test]
async fn a_hint_wakes_a_pool_that_hardly_polls() {
    let harness = PoolHarness::new().await;
    let mut options = harness.options(QueueName::Webhook, 1);
    options.poll_every = DurationMs::from_secs(3_600);
    let engine = harness.engine();
    let heartbeat_engine = move || {
        let engine = engine.clone();
        async move { Ok::<_, std::convert::Infallible>(engine) }
    };
    let pools = worker::start(harness.engine(), vec![options], handlers("good", Succeeds), heartbeat_engine)
        .expect("a thread for the heartbeat");
    for _ in 0..3 {
        let ids = harness.put(QueueName::Webhook, "good", 1).await;
        harness.hint(QueueName::Webhook);
        harness.reaches(ids[0], JobStatus::Completed).await;
    }
    assert!(stop(pools).await.in_time);
}
