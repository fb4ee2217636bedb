//! What pools do about their leases.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::job::JobStatus;
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::{Engine, EngineParts, Policy};
use store::StoreError;
use testkit::{SeededEntropy, eventually};
use tokio_util::sync::CancellationToken;

use crate::harness::{Blocks, PoolHarness, Waits, handlers, stop};

/// The pools run in a runtime of their own, each thread of which is blocked by a handler. Nothing else of the test
/// runs there, and their store connections are stuck there as well.
#[tokio::test]
async fn the_heartbeat_goes_on_while_handlers_block_every_thread() {
    let lease = DurationMs(4_500);
    let harness = PoolHarness::on_file(lease).await;
    let ids = harness.put(QueueName::Webhook, "busy", 2).await;
    let blocks = Blocks::default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let pools = {
        let _entered = runtime.enter();
        let (store, wakeup) = (Arc::clone(&harness.database.store), Arc::clone(&harness.harness.wakeup));
        let clock = Arc::clone(&harness.harness.clock);
        let heartbeat_engine = move || {
            let (store, wakeup, clock) = (Arc::clone(&store), Arc::clone(&wakeup), Arc::clone(&clock));
            async move {
                let parts = EngineParts {
                    store: store.connect_companion(1).await? as _,
                    wakeup,
                    clock: clock as _,
                    entropy: Arc::new(SeededEntropy::new(7)),
                    rate_limits: Arc::new(engine::LocalLimits::new()),
                    secret_keys: None,
                    secret_variable: |_| None,
                    outside: engine::Outside::default(),
                    policy: Policy::default(),
                };
                Ok::<_, StoreError>(Engine::new(parts))
            }
        };
        let options = vec![harness.options(QueueName::Webhook, 2)];
        worker::start(harness.engine(), options, handlers("busy", blocks.clone()), heartbeat_engine)
            .expect("a thread for the heartbeat")
    };
    blocks.entered(2).await;

    for _ in 0..3 {
        // The clock of the store moves on by most of a lease; only renewals keep the leases ahead of it.
        let now = harness.harness.clock.advance(DurationMs(3_000));
        for &id in &ids {
            eventually("the lease is renewed", || async {
                harness.job(id).await.lease_until.is_some_and(|until| until >= now.plus(lease))
            })
            .await;
        }
        assert_eq!(harness.reap().await, 0);
    }
    blocks.release();
    for id in ids {
        harness.reaches(id, JobStatus::Completed).await;
    }
    runtime.spawn(stop(pools)).await.expect("no panic");
    runtime.shutdown_background();
}

#[tokio::test]
async fn a_lost_lease_stops_the_handler_and_drops_its_result() {
    let harness = PoolHarness::with_lease(DurationMs(3_000)).await;
    let ids = harness.put(QueueName::Webhook, "slow", 1).await;
    let waits = Waits::default();
    let pools = harness.start(QueueName::Webhook, 1, handlers("slow", waits.clone()));
    waits.entered(1).await;
    harness
        .harness
        .engine
        .cancel_job(&harness.harness.admin(), ids[0])
        .await
        .expect("the job can be cancelled");
    waits.left().await;
    eventually("work beside the handler is stopped", || async { waits.stopped.load(Ordering::SeqCst) == 1 })
        .await;
    assert!(stop(pools).await.in_time);
    assert_eq!(harness.job(ids[0]).await.status, JobStatus::Cancelled);
}

#[tokio::test]
async fn a_lease_that_cannot_be_renewed_is_given_up_before_its_end() {
    let harness = PoolHarness::with_lease(DurationMs(2_000)).await;
    harness.put(QueueName::Webhook, "slow", 1).await;
    let waits = Waits::default();
    let options = harness.options(QueueName::Webhook, 1);
    let heartbeat_engine = || async { Err::<Engine, _>(io::Error::other("no connection")) };
    let pools =
        worker::start(harness.engine(), vec![options], handlers("slow", waits.clone()), heartbeat_engine)
            .expect("a thread for the heartbeat");
    waits.entered(1).await;
    // The store's clock stands still: only our own clock can tell that the lease is over.
    waits.left().await;
    assert_eq!(harness.count(JobStatus::Processing).await, 1, "the lease is left alone");
    pools.drain(Duration::from_millis(10), CancellationToken::new()).await;
}

#[tokio::test]
async fn a_call_to_renew_that_hangs_does_not_keep_a_job_alive() {
    let harness = PoolHarness::with_lease(DurationMs(2_000)).await;
    harness.put(QueueName::Webhook, "slow", 1).await;
    let waits = Waits::default();
    let options = harness.options(QueueName::Webhook, 1);
    let heartbeat_engine = std::future::pending::<Result<Engine, io::Error>>;
    let pools =
        worker::start(harness.engine(), vec![options], handlers("slow", waits.clone()), heartbeat_engine)
            .expect("a thread for the heartbeat");
    waits.entered(1).await;
    waits.left().await;
    pools.drain(Duration::from_millis(10), CancellationToken::new()).await;
}
