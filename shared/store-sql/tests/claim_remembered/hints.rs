//! What a node hears of jobs that another one enqueued.

use std::sync::Arc;
use std::time::Duration;

use domain::queue::QueueName;
use store::wakeup::Hint;
use store_sql::SqlStore;
use testkit::database::{TestStore, postgres};
use tokio::sync::broadcast::Receiver;
use tokio::time::timeout;

use crate::fixture::{QUEUE, claim, complete, enqueue, ids};

/// Longer than any hint takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Two nodes that know the lane and hear each other, and what the second one hears.
async fn nodes() -> (TestStore, Arc<SqlStore>, Receiver<Hint>) {
    let database = postgres().await;
    let other = database.another().await;
    enqueue(&database.store, "warm", 2).await;
    complete(&database.store, &claim(&database.store, 1).await).await;
    complete(&other, &claim(&other, 1).await).await;
    let mut heard = other.wakeup().subscribe();
    // The listener may still be connecting, and hears nothing until then.
    for _ in 0..100 {
        database.store.wakeup().send(&[Hint::Queue(QueueName::Webhook)]);
        if timeout(PATIENCE / 100, heard.recv()).await.is_ok() {
            return (database, other, heard);
        }
    }
    panic!("the nodes do not hear each other");
}

/// Waits until the queue is heard of.
async fn hear_of_queue(heard: &mut Receiver<Hint>) {
    let of_queue = async { while heard.recv().await.expect("hints come") != Hint::Queue(QUEUE) {} };
    timeout(PATIENCE, of_queue).await.expect("the other node is heard");
}

#[tokio::test]
async fn a_job_that_comes_alone_tells_of_itself() {
    let (database, other, mut heard) = nodes().await;
    let job = enqueue(&database.store, "warm", 1).await;
    // Nobody sends a hint: the insert carries the notification.
    hear_of_queue(&mut heard).await;
    assert_eq!(ids(&claim(&other, 2).await), job);
}

#[tokio::test]
async fn jobs_that_come_together_are_told_by_the_hint() {
    let (database, other, mut heard) = nodes().await;
    let jobs = [enqueue(&database.store, "warm", 2).await, enqueue(&database.store, "new", 2).await].concat();
    database.store.wakeup().send(&[Hint::Enqueued(QUEUE)]);
    hear_of_queue(&mut heard).await;
    let mut claimed = ids(&claim(&other, 9).await);
    claimed.sort_unstable();
    let mut expected = jobs;
    expected.sort_unstable();
    assert_eq!(claimed, expected, "also those of a lane that the other node did not know");
}
