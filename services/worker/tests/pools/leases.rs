//! What pools do about their leases.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::job::{JobStatus, Outcome};
use domain::queue::QueueName;
use domain::time::DurationMs;
use engine::Engine;
use store::jobs::ClaimedJob;
use testkit::eventually;
use tokio_util::sync::CancellationToken;
use worker::Handler;

use crate::bench::{PoolBench, Waits, handlers, stop};

/// Blocks its thread until released.
struct Blocks {
    inside: Arc<AtomicUsize>,
    release: Arc<AtomicBool>,
}

#[async_trait]
impl Handler for Blocks {
    async fn run(&self, _job: &ClaimedJob, _stop: CancellationToken) -> Outcome {
        self.inside.fetch_add(1, Ordering::SeqCst);
        while !self.release.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        Outcome::Completed(None)
    }
}

/// The pools run in a runtime of their own, each thread of which is blocked by a handler. The store's tasks live in
/// the test's runtime.
#[tokio::test]
async fn the_heartbeat_goes_on_while_handlers_block_every_thread() {
    let bench = PoolBench::with_lease(DurationMs(1_500)).await;
    let ids = bench.put(QueueName::Webhook, "busy", 2).await;
    let (inside, release) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let handler = Blocks { inside: Arc::clone(&inside), release: Arc::clone(&release) };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let pools = {
        let _entered = runtime.enter();
        bench.start(QueueName::Webhook, 2, handlers("busy", handler))
    };
    eventually("both threads are blocked", || async { inside.load(Ordering::SeqCst) == 2 }).await;

    for _ in 0..3 {
        // The clock of the store moves on by nearly a lease; only a renewal keeps the lease ahead of it.
        let now = bench.bench.clock.advance(DurationMs(1_000));
        for &id in &ids {
            eventually("the lease is renewed", || async {
                bench.job(id).await.lease_until.is_some_and(|until| until >= now.plus(DurationMs(1_500)))
            })
            .await;
        }
        assert_eq!(bench.bench.engine.reap_tick().await.expect("a reap works"), 0);
    }
    release.store(true, Ordering::SeqCst);
    for id in ids {
        bench.reaches(id, JobStatus::Completed).await;
    }
    runtime.spawn(stop(pools)).await.expect("no panic");
    runtime.shutdown_background();
}

#[tokio::test]
async fn a_lost_lease_stops_the_handler_and_drops_its_result() {
    let bench = PoolBench::with_lease(DurationMs(300)).await;
    let ids = bench.put(QueueName::Webhook, "slow", 1).await;
    let waits = Waits::default();
    let pools = bench.start(QueueName::Webhook, 1, handlers("slow", waits.clone()));
    waits.entered(1).await;
    bench.bench.engine.cancel_job(&bench.bench.admin(), ids[0]).await.expect("the job can be cancelled");
    waits.left().await;
    eventually("work beside the handler is stopped", || async {
        waits.stopped.load(Ordering::SeqCst) == 1
    })
    .await;
    assert!(stop(pools).await.in_time);
    assert_eq!(bench.job(ids[0]).await.status, JobStatus::Cancelled);
}

#[tokio::test]
async fn a_lease_that_cannot_be_renewed_is_given_up_before_its_end() {
    let bench = PoolBench::with_lease(DurationMs(400)).await;
    bench.put(QueueName::Webhook, "slow", 1).await;
    let waits = Waits::default();
    let options = bench.options(QueueName::Webhook, 1);
    let heartbeat_engine = || async { Err::<Engine, _>(io::Error::other("no connection")) };
    let pools = worker::start(bench.engine(), vec![options], handlers("slow", waits.clone()), heartbeat_engine)
        .expect("a thread for the heartbeat");
    waits.entered(1).await;
    // The store's clock stands still: only our own clock can tell that the lease is over.
    waits.left().await;
    assert_eq!(bench.count(JobStatus::Processing).await, 1, "the lease is left alone");
    pools.drain(Duration::from_millis(10), CancellationToken::new()).await;
}

#[tokio::test]
async fn a_call_to_renew_that_hangs_does_not_keep_a_job_alive() {
    let bench = PoolBench::with_lease(DurationMs(400)).await;
    bench.put(QueueName::Webhook, "slow", 1).await;
    let waits = Waits::default();
    let options = bench.options(QueueName::Webhook, 1);
    let heartbeat_engine = std::future::pending::<Result<Engine, io::Error>>;
    let pools = worker::start(bench.engine(), vec![options], handlers("slow", waits.clone()), heartbeat_engine)
        .expect("a thread for the heartbeat");
    waits.entered(1).await;
    waits.left().await;
    pools.drain(Duration::from_millis(10), CancellationToken::new()).await;
}
