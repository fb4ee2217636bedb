//! Steps of the clock that leases are judged by. The clock itself goes on; what the store remembers of it is changed instead.

use std::sync::Arc;

use domain::access::TenantScope;
use sea_orm::ConnectionTrait as _;
use store::Store as _;
use store::conformance::fixture::{LEASE, claim, job};
use store::jobs::{ClaimedJob, JobStore as _, NewJob};
use testkit::eventually;

use super::*;
use crate::options::{Pooler, StoreOptions, Synchronous, TimeSource};

const STEP: DurationMs = DurationMs::from_secs(20 * 60);

async fn databases() -> Vec<Arc<SqlStore>> {
    let mut stores = Vec::new();
    for url in ["sqlite::memory:".to_owned(), testkit::database::postgres_database().await] {
        let options = StoreOptions {
            url,
            connections_max: 2,
            synchronous: Synchronous::Normal,
            migrate: true,
            pooler: Pooler::Session,
            listen_url: None,
            schema: "public".to_owned(),
            statement_timeout: std::time::Duration::from_secs(10),
            limits: Vec::new(),
            lease_time: TimeSource::Database,
        };
        stores.push(SqlStore::connect(&options).await.expect("a new database can be opened"));
    }
    stores
}

async fn leased(store: &SqlStore) -> (ClaimedJob, Timestamp) {
    let now = store.database_now().await.expect("the database tells the time");
    store.enqueue(&[NewJob { run_at: now, ..job() }], now).await.expect("enqueue works");
    let mut claimed = store.claim(&claim(QueueName::Node, 1, now)).await.expect("claim works");
    (claimed.remove(0), now)
}

async fn change(store: &SqlStore, text: &str) {
    store.pool().write().execute_unprepared(text).await.expect("jobs can be changed");
}

#[tokio::test]
async fn a_clock_that_is_set_back_twenty_minutes_keeps_nobody_waiting() {
    for store in databases().await {
        let (leased, now) = leased(&store).await;
        // As if the clock had been twenty minutes ahead until now.
        change(&store, "UPDATE job SET lease_until = lease_until + 1200000, reap_at = reap_at + 1200000")
            .await;
        store.memory().clock.observe(Instant::now(), now.plus(STEP));
        assert_eq!(store.expired_leases(now, 10).await.expect("answers"), vec![], "nothing has ended");
        let record = store.job(&TenantScope::All, leased.id).await.expect("read works").expect("it is there");
        let latest = store.database_now().await.expect("the database tells the time").plus(LEASE);
        let until = record.lease_until.expect("it is leased");
        assert!(until <= latest, "the lease lasts until {until:?}, which is after {latest:?}");
        change(&store, "UPDATE job SET lease_until = 1, reap_at = 1").await;
        assert_eq!(store.expired_leases(now, 10).await.expect("answers").len(), 1, "leases end as before");
    }
}

#[tokio::test]
async fn nothing_is_reaped_for_one_lease_after_the_clock_was_set_forward() {
    for store in databases().await {
        let (leased, now) = leased(&store).await;
        store.memory().clock.observe(Instant::now(), now.minus(STEP));
        // It looks ended by the clock as it is now.
        change(&store, "UPDATE job SET lease_until = 1, reap_at = 1").await;
        for _ in 0..3 {
            assert_eq!(
                store.expired_leases(now, 10).await.expect("answers"),
                vec![],
                "it could not be renewed"
            );
        }
        // A shorter lease has had its time.
        change(&store, "UPDATE job SET lease_ms = 1").await;
        eventually("the lease is found", || async {
            let found = store.expired_leases(now, 10).await.expect("answers");
            found.iter().any(|found| found.leased.lease == leased.lease())
        })
        .await;
    }
}
