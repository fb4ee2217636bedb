//! Two nodes that change the same jobs at once, in all the ways that once made circles.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::Disposition;
use domain::names::CallerKey;
use domain::time::Timestamp;
use futures::future::join_all;
use store::conformance::fixture::{T0, after_secs, claim_nodes, enqueue, job};
use store::jobs::{ClaimedJob, JobStore as _, LeaseExtension, NewJob, Settlement};
use store_sql::SqlStore;
use testkit::database::TestStore;

use crate::fixture::{deadlocks, store};

const ROUNDS: usize = 20;
const JOBS: usize = 40;

fn again(job: &ClaimedJob, at: Timestamp) -> Settlement {
    let error = JobError::coded("again", "once more");
    Settlement { lease: job.lease(), disposition: Disposition::RetryAt { at, error } }
}

async fn nodes() -> (TestStore, Arc<SqlStore>) {
    let store = store().await;
    let other = store.another().await;
    (store, other)
}

async fn end(store: TestStore, other: Arc<SqlStore>) {
    store::Store::close(&*other).await;
    drop(other);
    assert_eq!(deadlocks(&store).await, 0, "somebody waited in a circle");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancels_beside_claims_and_retries() {
    let (store, other) = nodes().await;
    for _ in 0..ROUNDS {
        // Every other job has a key of its own, which its end gives on.
        let jobs: Vec<NewJob> = (0..JOBS)
            .map(|number| NewJob {
                concurrency_key: (number % 2 == 0).then(|| CallerKey::trusted(format!("key{}", number / 4))),
                ..job()
            })
            .collect();
        enqueue(&*store.store, &jobs).await;
        let leased = claim_nodes(&*store.store, JOBS as u32 / 2, T0).await;
        let cancels = jobs.iter().map(|job| {
            let other = Arc::clone(&other);
            let id = job.id;
            async move { other.cancel_job(&TenantScope::All, id, T0).await.map(|_| ()) }
        });
        let retries = leased.iter().map(|job| {
            let (store, batch) = (Arc::clone(&store.store), [again(job, T0)]);
            async move { store.settle(&batch, T0).await.map(|_| ()) }
        });
        let claims = (0..4).map(|_| async {
            claim_nodes(&*store.store, 5, T0).await;
            claim_nodes(&*other, 5, T0).await;
        });
        let (cancelled, retried, _) = tokio::join!(join_all(cancels), join_all(retries), join_all(claims));
        assert!(cancelled.into_iter().chain(retried).all(|done| done.is_ok()));
    }
    end(store, other).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reaping_on_two_nodes_beside_claims() {
    let (store, other) = nodes().await;
    let mut now = T0;
    for _ in 0..ROUNDS {
        enqueue(&*store.store, &(0..JOBS).map(|_| job()).collect::<Vec<_>>()).await;
        let leased = claim_nodes(&*store.store, JOBS as u32, now).await;
        now = now.plus(domain::time::DurationMs::from_secs(60));
        let batch: Vec<Settlement> = leased.iter().map(|job| again(job, now)).collect();
        let reversed: Vec<Settlement> = batch.iter().rev().cloned().collect();
        let claims = async {
            for _ in 0..3 {
                claim_nodes(&*store.store, 5, now).await;
                claim_nodes(&*other, 5, now).await;
            }
        };
        let (one, two, ()) = tokio::join!(store.reap(&batch, now), other.reap(&reversed, now), claims);
        assert!(one.is_ok() && two.is_ok());
    }
    end(store, other).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reports_and_heartbeats_in_opposite_orders() {
    let (store, other) = nodes().await;
    for round in 0..ROUNDS {
        enqueue(&*store.store, &(0..JOBS).map(|_| job()).collect::<Vec<_>>()).await;
        let leased = claim_nodes(&*store.store, JOBS as u32, T0).await;
        let report = |(place, job): (usize, &ClaimedJob)| match (round + place) % 3 {
            0 => again(job, after_secs(60)),
            _ => Settlement { lease: job.lease(), disposition: Disposition::Complete(None) },
        };
        let batch: Vec<Settlement> = leased.iter().enumerate().map(report).collect();
        let reversed: Vec<Settlement> = batch.iter().rev().cloned().collect();
        let released: Vec<_> = leased.iter().rev().map(ClaimedJob::lease).collect();
        let beat = |lease| LeaseExtension { lease, extend: None, progress: Some("1".to_owned()) };
        let beats: Vec<LeaseExtension> = released.iter().copied().map(beat).collect();
        let (one, two, three, four) = tokio::join!(
            store.settle(&batch, T0),
            other.settle(&reversed, T0),
            other.release(&released, T0),
            store.extend_leases(&beats, T0),
        );
        assert!(one.is_ok() && two.is_ok() && three.is_ok() && four.is_ok());
    }
    end(store, other).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn groups_with_unique_keys_in_opposite_orders() {
    let (store, other) = nodes().await;
    for round in 0..ROUNDS {
        let unique = |number: usize| NewJob {
            unique_key: Some(CallerKey::trusted(format!("{round}-{number}"))),
            ..job()
        };
        let one: Vec<NewJob> = (0..JOBS).map(unique).collect();
        let two: Vec<NewJob> = (0..JOBS).rev().map(unique).collect();
        let (first, second) = tokio::join!(store.enqueue(&one, T0), other.enqueue(&two, T0));
        let (first, second) = (first.expect("enqueue works"), second.expect("enqueue works"));
        let new =
            |answers: &[store::jobs::Enqueued]| answers.iter().filter(|answer| !answer.existing).count();
        assert_eq!(new(&first) + new(&second), JOBS, "each key once");
        for answers in [&first, &second] {
            let positions: Vec<i64> =
                answers.iter().filter(|answer| !answer.existing).map(|answer| answer.position).collect();
            assert!(positions.is_sorted(), "a batch is served in its order: {positions:?}");
        }
    }
    end(store, other).await;
}
