//! Notifications of jobs that another node enqueued.

use std::sync::Arc;
use std::time::Duration;

use domain::names::{JobType, TenantName};
use domain::queue::QueueName;
use store::jobs::JobStore as _;
use store::wakeup::Hint;
use store_sql::SqlStore;
use testkit::database::{TestStore, postgres};
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;

use crate::fixture::{QUEUE, claim, complete, enqueue, ids, retry_at_once};

/// Longer than any hint takes.
const DEADLINE: Duration = Duration::from_secs(20);

/// Two nodes that know the lane and receive each other's hints, and the second one's receiver.
async fn nodes() -> (TestStore, Arc<SqlStore>, Receiver<Hint>) {
    let database = postgres().await;
    let other = database.another().await;
    enqueue(&database.store, "warm", 2).await;
    complete(&database.store, &claim(&database.store, 1).await).await;
    complete(&other, &claim(&other, 1).await).await;
    let mut heard = other.wakeup().subscribe();
    // The listener may still be connecting, and receives nothing until then.
    for _ in 0..100 {
        database.store.wakeup().send(&[Hint::Queue(QueueName::Webhook)]);
        if timeout(DEADLINE / 100, heard.recv()).await.is_ok() {
            return (database, other, heard);
        }
    }
    panic!("the nodes do not receive each other's hints");
}

/// Waits until the queue is heard of.
async fn queue_hint_arrives(heard: &mut Receiver<Hint>) {
    let of_queue = async { while heard.recv().await.expect("hints come") != Hint::Queue(QUEUE) {} };
    timeout(DEADLINE, of_queue).await.expect("the other node is heard");
}

#[tokio::test]
async fn a_job_that_comes_alone_tells_of_itself() {
    let (database, other, mut heard) = nodes().await;
    let job = enqueue(&database.store, "warm", 1).await;
    // Nobody sends a hint: the insert carries the notification.
    queue_hint_arrives(&mut heard).await;
    assert_eq!(ids(&claim(&other, 2).await), job);
}

#[tokio::test]
async fn jobs_that_come_together_are_announced_by_the_hint() {
    let (database, other, mut heard) = nodes().await;
    let jobs = [enqueue(&database.store, "warm", 2).await, enqueue(&database.store, "new", 2).await].concat();
    database.store.wakeup().send(&[Hint::Enqueued(QUEUE)]);
    queue_hint_arrives(&mut heard).await;
    let mut claimed = ids(&claim(&other, 9).await);
    claimed.sort_unstable();
    let mut expected = jobs;
    expected.sort_unstable();
    assert_eq!(claimed, expected, "also those of a lane that the other node did not know");
}

/// Whether this node believes that a job of the tenant may wait.
fn may_hold(store: &SqlStore, tenant: &str) -> bool {
    store.may_hold(QUEUE, Some(&TenantName::trusted(tenant)), &[JobType::trusted("encode")])
}

#[tokio::test]
async fn slots_that_become_free_elsewhere_make_no_ring_stale() {
    let (database, other, mut heard) = nodes().await;
    let jobs = enqueue(&database.store, "warm", 2).await;
    let leased = claim(&database.store, 2).await;
    assert_eq!(ids(&leased), jobs);
    database.store.wakeup().send(&[Hint::Enqueued(QUEUE)]);
    queue_hint_arrives(&mut heard).await;
    assert!(claim(&other, 1).await.is_empty(), "they are leased by now");
    complete(&database.store, &leased[..1]).await;
    database.store.wakeup().send(&[Hint::Freed(QUEUE)]);
    queue_hint_arrives(&mut heard).await;
    assert!(!may_hold(&other, "warm"), "a slot is no reason to look for jobs");
    retry_at_once(&database.store, &leased[1..]).await;
    database.store.wakeup().send(&[Hint::Freed(QUEUE)]);
    queue_hint_arrives(&mut heard).await;
    assert!(
        may_hold(&other, "warm") && !may_hold(&other, "other"),
        "the job that came back was announced with its lane"
    );
    assert_eq!(ids(&claim(&other, 2).await), jobs[1..]);
}

#[tokio::test]
async fn i04_a_job_that_went_back_elsewhere_is_served_first() {
    let (database, other, mut heard) = nodes().await;
    let jobs = enqueue(&database.store, "warm", 8).await;
    let first = claim(&other, 3).await;
    assert_eq!(ids(&first), jobs[..3]);
    retry_at_once(&database.store, &first[1..2]).await;
    database.store.wakeup().send(&[Hint::Freed(QUEUE)]);
    queue_hint_arrives(&mut heard).await;
    assert_eq!(ids(&claim(&other, 2).await), [jobs[1], jobs[3]]);
}
