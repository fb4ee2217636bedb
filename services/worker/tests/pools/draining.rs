//! How pools end.

use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::job::JobStatus;
use domain::queue::QueueName;
use store::Store;
use testkit::eventually;
use tokio_util::sync::CancellationToken;

use crate::harness::{Blocks, PoolHarness, Succeeds, Waits, handlers, stop};

#[tokio::test]
async fn a_drain_gives_back_what_does_not_end_without_consuming_an_attempt() {
    let harness = PoolHarness::new().await;
    let ids = harness.put(QueueName::Webhook, "slow", 3).await;
    let waits = Waits::default();
    let pools = harness.start(QueueName::Webhook, 2, handlers("slow", waits.clone()));
    waits.entered(2).await;

    let drained = pools.drain(Duration::from_millis(50), CancellationToken::new()).await;
    assert!(!drained.in_time);
    assert_eq!(drained.blocked, 0);
    waits.left().await;
    eventually("work beside the handlers is stopped", || async { waits.stopped.load(Ordering::SeqCst) == 2 })
        .await;
    for id in &ids {
        let job = harness.job(*id).await;
        assert_eq!((job.status, job.retry_count, job.error), (JobStatus::Queued, 0, None));
    }

    let pools = harness.start(QueueName::Webhook, 3, handlers("slow", Succeeds));
    for id in ids {
        let job = harness.reaches(id, JobStatus::Completed).await;
        assert_eq!(job.retry_count, 0);
    }
    stop(pools).await;
}

#[tokio::test]
async fn a_drain_waits_for_running_handlers_and_starts_nothing_new() {
    let harness = PoolHarness::new().await;
    let first = harness.put(QueueName::Webhook, "slow", 1).await;
    let waits = Waits::default();
    let pools = harness.start(QueueName::Webhook, 2, handlers("slow", waits.clone()));
    waits.entered(1).await;

    let drain = tokio::spawn(pools.drain(Duration::from_mins(10), CancellationToken::new()));
    tokio::task::yield_now().await;
    let second = harness.put(QueueName::Webhook, "slow", 1).await;
    harness.hint(QueueName::Webhook);
    assert!(!drain.is_finished());
    waits.release.cancel();
    assert!(drain.await.expect("no panic").in_time);
    assert_eq!(harness.job(first[0]).await.status, JobStatus::Completed);
    assert_eq!(harness.job(second[0]).await.status, JobStatus::Queued);
}

#[tokio::test]
async fn a_second_signal_cuts_the_wait_short() {
    let harness = PoolHarness::new().await;
    let ids = harness.put(QueueName::Webhook, "slow", 1).await;
    let waits = Waits::default();
    let pools = harness.start(QueueName::Webhook, 1, handlers("slow", waits.clone()));
    waits.entered(1).await;

    let hurry = CancellationToken::new();
    let drain = tokio::spawn(pools.drain(Duration::from_mins(10), hurry.clone()));
    hurry.cancel();
    assert!(!drain.await.expect("no panic").in_time);
    assert_eq!(harness.job(ids[0]).await.status, JobStatus::Queued);
}

#[tokio::test]
async fn a_drain_ends_while_the_store_is_away() {
    let harness = PoolHarness::new().await;
    let pools = harness.start(QueueName::Webhook, 2, handlers("good", Succeeds));
    harness.database.store.close().await;
    harness.hint(QueueName::Webhook);
    let drain = pools.drain(Duration::from_secs(20), CancellationToken::new());
    assert!(drain.await.in_time);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_lease_of_a_handler_that_cannot_be_stopped_is_given_back_too() {
    let harness = PoolHarness::new().await;
    let ids = harness.put(QueueName::Webhook, "stuck", 1).await;
    let blocks = Blocks::default();
    let pools = harness.start(QueueName::Webhook, 1, handlers("stuck", blocks.clone()));
    blocks.entered(1).await;

    let drained = pools.drain(Duration::from_millis(10), CancellationToken::new()).await;
    assert_eq!((drained.in_time, drained.blocked), (false, 1));
    assert_eq!(harness.job(ids[0]).await.status, JobStatus::Queued);
    blocks.release();
}
