//! Hints between two nodes, and what happens when connections go.
#![expect(clippy::disallowed_methods, reason = "tests make ids of their own")]

use std::time::Duration;

use domain::id::ExecutionId;
use domain::queue::QueueName;
use sqlx::{Connection as _, PgConnection};
use store::Store as _;
use store::wakeup::Hint;
use testkit::database::postgres;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

const DEADLINE: Duration = Duration::from_secs(20);

/// Sends a hint again and again until it arrives (a listener that is still connecting receives nothing).
async fn until_received(receiver: &mut Receiver<Hint>, hint: Hint, mut send: impl FnMut()) {
    let deadline = Instant::now() + DEADLINE;
    loop {
        send();
        let soon = (Instant::now() + Duration::from_millis(200)).min(deadline);
        loop {
            match timeout_at(soon, receiver.recv()).await {
                Ok(Ok(heard)) if heard == hint => return,
                Ok(Ok(_) | Err(RecvError::Lagged(_))) => {}
                Ok(Err(RecvError::Closed)) => panic!("the wake-up is gone"),
                Err(_) => break,
            }
        }
        assert!(Instant::now() < deadline, "{hint:?} did not arrive");
    }
}

/// Ends all other connections to a database, as a server that restarts does.
async fn end_connections(url: &str) {
    let mut connection = PgConnection::connect(url).await.expect("the server answers");
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    sqlx::query(end).execute(&mut connection).await.expect("connections can be ended");
}

#[tokio::test]
async fn hints_reach_the_other_node_and_come_back_after_a_break() {
    let database = postgres().await;
    let other = database.another().await;
    let (near, far) = (database.store.wakeup(), other.wakeup());
    let mut receiver = far.subscribe();
    let execution = ExecutionId::from_uuid(Uuid::new_v4());
    for hint in
        [Hint::Queue(QueueName::Node), Hint::Inbox(execution), Hint::Finished(execution), Hint::Settings]
    {
        until_received(&mut receiver, hint, || near.send(&[hint])).await;
    }
    end_connections(&database.url).await;
    // After the break the listener tells that anything may have happened, without anybody sending.
    until_received(&mut receiver, Hint::Queue(QueueName::Webhook), || {}).await;
    until_received(&mut receiver, Hint::Inbox(execution), || {
        near.send(&[Hint::Inbox(execution)]);
    })
    .await;
}

#[tokio::test]
async fn own_hints_arrive_once_and_at_once() {
    let database = postgres().await;
    let wakeup = database.store.wakeup();
    let mut receiver = wakeup.subscribe();
    wakeup.send(&[Hint::Queue(QueueName::Node)]);
    assert_eq!(receiver.try_recv(), Ok(Hint::Queue(QueueName::Node)));
    let other = database.another().await;
    // What the other sends later comes later, so an echo of our own hint would have come before.
    until_received(&mut receiver, Hint::Settings, || {
        other.wakeup().send(&[Hint::Settings]);
    })
    .await;
    let mut receiver = wakeup.subscribe();
    wakeup.send(&[Hint::Inbox(ExecutionId::from_uuid(Uuid::nil()))]);
    assert!(receiver.try_recv().is_ok());
    loop {
        other.wakeup().send(&[Hint::Queue(QueueName::Scheduled)]);
        match timeout_at(Instant::now() + DEADLINE, receiver.recv()).await.expect("the other's hint arrives")
        {
            Ok(Hint::Queue(QueueName::Scheduled)) => break,
            Ok(Hint::Settings) => {}
            heard => panic!("an echo: {heard:?}"),
        }
    }
}

#[tokio::test]
async fn calls_survive_the_end_of_their_connections() {
    let database = postgres().await;
    for _ in 0..3 {
        database.store.ping().await.expect("it answers");
        end_connections(&database.url).await;
        let deadline = Instant::now() + DEADLINE;
        // A connection that was in use just now is not tried out before it is used again; one call may pay for it.
        while let Err(error) = database.store.ping().await {
            assert!(error.is_retryable(), "{error:?}");
            assert!(Instant::now() < deadline, "it does not recover: {error:?}");
        }
    }
}

#[tokio::test]
async fn three_nodes_can_start_at_once() {
    let url = testkit::database::postgres_database().await;
    let options = testkit::database::options(&url, &[]);
    let started = tokio::join!(
        store_sql::SqlStore::connect(&options),
        store_sql::SqlStore::connect(&options),
        store_sql::SqlStore::connect(&options),
    );
    for store in [started.0, started.1, started.2] {
        store.expect("it starts").ping().await.expect("it answers");
    }
}
