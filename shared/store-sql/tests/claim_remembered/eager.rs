//! When jobs are leased as they are inserted, and when another node or what waits keeps them from it. PostgreSQL only:
//! on SQLite they are queued.

use domain::id::JobId;
use store::jobs::{EagerlyEnqueued, JobStore as _, NewJob};
use store_sql::SqlStore;
use testkit::database::{TestStore, postgres};

use crate::fixture::{claim, complete, enqueue, ids, job, limit, request, retry_at_once};

/// A node that trusts what it remembers and has seen its queue empty.
async fn idle() -> TestStore {
    let database = postgres().await;
    trust(&database.store).await;
    database
}

/// Lets a node claim so often that it trusts its memory, whatever happened before.
async fn trust(store: &SqlStore) {
    for _ in 0..10 {
        enqueue(store, "warm", 1).await;
        let jobs = claim(store, 1).await;
        assert_eq!(jobs.len(), 1);
        complete(store, &jobs).await;
    }
    sees_nothing(store).await;
}

/// Lets a node see that nothing waits, which it believes for a while. The first claim may know of a lane that is empty by
/// now; the next one knows of none, and lists them.
async fn sees_nothing(store: &SqlStore) {
    for _ in 0..2 {
        assert!(claim(store, 1).await.is_empty());
    }
}

async fn eagerly(store: &SqlStore, tenants: &[&str]) -> EagerlyEnqueued {
    let jobs: Vec<NewJob> = tenants.iter().map(|tenant| job(tenant)).collect();
    store.enqueue_eagerly(&jobs, &request(8)).await.expect("enqueue works")
}

fn new_ids(made: &EagerlyEnqueued) -> Vec<JobId> {
    made.enqueued.iter().map(|answer| answer.id).collect()
}

#[tokio::test]
async fn jobs_for_idle_slots_are_leased_at_once() {
    let database = idle().await;
    enqueue(&database.store, "a", 1).await;
    complete(&database.store, &claim(&database.store, 1).await).await;
    for _ in 0..20 {
        sees_nothing(&database.store).await;
        let made = eagerly(&database.store, &["a", "warm", "a"]).await;
        assert_eq!(ids(&made.leased), new_ids(&made));
        complete(&database.store, &made.leased).await;
    }
}

#[tokio::test]
async fn jobs_without_a_free_slot_are_queued() {
    let database = idle().await;
    let jobs: Vec<NewJob> = (0..5).map(|_| job("warm")).collect();
    let made = database.store.enqueue_eagerly(&jobs, &request(2)).await.expect("enqueue works");
    assert_eq!(ids(&made.leased), new_ids(&made)[..2]);
    assert_eq!(ids(&claim(&database.store, 8).await), new_ids(&made)[2..]);
}

#[tokio::test]
async fn i03_what_was_leased_eagerly_counts() {
    let database = idle().await;
    limit(&database.store, 3).await;
    trust(&database.store).await;
    let mut held = eagerly(&database.store, &["warm"]).await.leased;
    assert_eq!(held.len(), 1);
    sees_nothing(&database.store).await;
    held.extend(eagerly(&database.store, &["warm", "warm"]).await.leased);
    assert_eq!(held.len(), 3, "both fit");
    assert!(eagerly(&database.store, &["warm"]).await.leased.is_empty(), "the queue is full");
    assert!(claim(&database.store, 4).await.is_empty());
    complete(&database.store, &held.split_off(1)).await;
    assert_eq!(claim(&database.store, 4).await.len(), 1, "the one that waited");
    sees_nothing(&database.store).await;
    assert_eq!(eagerly(&database.store, &["warm"]).await.leased.len(), 1, "one more fits");
}

#[tokio::test]
async fn i03_another_nodes_claim_is_noticed() {
    let database = idle().await;
    let other = database.another().await;
    limit(&database.store, 2).await;
    trust(&database.store).await;
    let mut held = eagerly(&database.store, &["warm"]).await.leased;
    assert_eq!(held.len(), 1);
    enqueue(&other, "warm", 1).await;
    held.extend(claim(&other, 4).await);
    assert_eq!(held.len(), 2);
    let made = eagerly(&database.store, &["warm"]).await;
    assert!(made.leased.is_empty(), "the epoch is another one");
    assert!(claim(&database.store, 4).await.is_empty());
    assert!(claim(&other, 4).await.is_empty());
    complete(&other, &held.split_off(1)).await;
    assert_eq!(ids(&claim(&other, 4).await), new_ids(&made));
}

/// No hint goes between these two nodes: jobs that come together do not tell of themselves.
#[tokio::test]
async fn i04_jobs_of_another_node_go_first_though_nobody_announced_them() {
    let database = idle().await;
    let other = database.another().await;
    let first = enqueue(&other, "warm", 2).await;
    let second = eagerly(&database.store, &["warm"]).await;
    assert!(second.leased.is_empty());
    assert_eq!(ids(&claim(&database.store, 3).await), [first, new_ids(&second)].concat());
}

#[tokio::test]
async fn i04_a_job_that_came_back_goes_first() {
    let database = idle().await;
    let first = eagerly(&database.store, &["warm"]).await;
    assert_eq!(first.leased.len(), 1);
    retry_at_once(&database.store, &first.leased).await;
    let second = eagerly(&database.store, &["warm"]).await;
    assert!(second.leased.is_empty());
    let order = [new_ids(&first), new_ids(&second)].concat();
    assert_eq!(ids(&claim(&database.store, 2).await), order);
}

/// The same statement on both nodes at once: each either leases or queues, and nothing is leased beyond the limit.
#[tokio::test]
async fn i03_nodes_that_start_eagerly_at_once_stay_within_the_limit() {
    let database = idle().await;
    let other = database.another().await;
    limit(&database.store, 5).await;
    let (mut held, mut done) = (Vec::new(), 0);
    for turn in 0_usize..60 {
        let (one, two) = tokio::join!(eagerly(&database.store, &["warm"]), eagerly(&other, &["warm"]));
        held.extend(one.leased.into_iter().chain(two.leased));
        assert!(held.len() <= 5, "{} are leased", held.len());
        held.extend(claim(if turn % 3 == 0 { &other } else { &database.store }, 2).await);
        assert!(held.len() <= 5, "{} are leased", held.len());
        let ending: Vec<_> = held.drain(..held.len().min(3)).collect();
        complete(&database.store, &ending).await;
        done += ending.len();
    }
    assert!(done > 50, "only {done} jobs were done");
}
