//! Leases by the database's clock, as in production: neither what callers take for the present instant nor how long a
//! claim had to wait makes a lease shorter, and nothing is reaped that has not ended by that clock.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::job::Disposition;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use store::Store as _;
use store::attributes::AttributeStore as _;
use store::conformance::fixture::{LEASE, claim, job};
use store::jobs::{ClaimedJob, JobStore as _, LeaseAnswer, LeaseExtension, NewJob, Settlement};
use store_sql::{SqlStore, StoreOptions, TimeSource};
use testkit::database::{options, postgres_database};
use testkit::eventually;

/// How far the clock of a node is off.
const OFF: DurationMs = DurationMs::from_secs(3_600);

async fn open(url: &str) -> Arc<SqlStore> {
    let options = StoreOptions { lease_time: TimeSource::Database, ..options(url, &[]) };
    SqlStore::connect(&options).await.expect("a new database can be opened")
}

async fn databases() -> Vec<Arc<SqlStore>> {
    vec![open("sqlite::memory:").await, open(&postgres_database().await).await]
}

async fn enqueue(store: &SqlStore, new: &NewJob, now: Timestamp) {
    let new = NewJob { run_at: now, ..new.clone() };
    store.enqueue(&[new], now).await.expect("enqueue works");
}

async fn claim_at(store: &SqlStore, now: Timestamp) -> ClaimedJob {
    let mut claimed = store.claim(&claim(QueueName::Node, 1, now)).await.expect("claim works");
    assert_eq!(claimed.len(), 1, "a job waits");
    claimed.remove(0)
}

fn again(job: &ClaimedJob, now: Timestamp) -> Settlement {
    let error = JobError::coded("worker_lost", "lost");
    Settlement { lease: job.lease(), disposition: Disposition::RetryAt { at: now, error } }
}

#[tokio::test]
async fn a_node_whose_clock_is_wrong_neither_writes_nor_reaps_leases_by_it() {
    for store in databases().await {
        let before = store.database_now().await.expect("the database tells the time");
        let slow = before.minus(OFF);
        enqueue(&store, &job(), slow).await;
        let leased = claim_at(&store, slow).await;
        let after = store.database_now().await.expect("the database tells the time");
        let ends = before.plus(LEASE)..=after.plus(LEASE);
        assert!(ends.contains(&leased.lease_until), "{leased:?} is not within {ends:?}");
        let record = store.job(&TenantScope::All, leased.id).await.expect("read works").expect("it is there");
        assert_eq!(record.lease_until, Some(leased.lease_until));
        assert_eq!(record.processed_at, Some(leased.started_at));
        // Another node whose clock is fast reaps nothing, not even the jobs that it is asked to.
        let fast = before.plus(OFF);
        assert_eq!(store.expired_leases(fast, 10).await.expect("answers"), vec![]);
        let reaped = store.reap(&[again(&leased, fast)], fast).await.expect("reap works");
        assert_eq!(reaped, [LeaseAnswer::LeaseLost]);
        for now in [slow, fast] {
            let set = store.set_attributes(leased.id.uuid(), leased.lease(), &[], now).await;
            assert!(set.expect("attributes can be set"), "the lease holds");
        }
        let renewal = LeaseExtension { lease: leased.lease(), extend: Some(DurationMs(1)), progress: None };
        let renewed = store.extend_leases(&[renewal], fast).await.expect("a heartbeat works");
        let [LeaseAnswer::Ok(end)] = renewed[..] else { panic!("the lease holds: {renewed:?}") };
        assert!((before..=before.plus(LEASE)).contains(&end), "{end:?} by the database's clock");
        // By the database's clock it has ended now, whatever a slow node thinks.
        eventually("the lease is found to have ended", || async {
            store.expired_leases(slow, 10).await.expect("answers").len() == 1
        })
        .await;
        let reaped = store.reap(&[again(&leased, before)], slow).await.expect("reap works");
        assert!(matches!(reaped[..], [LeaseAnswer::Ok(_)]), "{reaped:?}");
        store.close().await;
    }
}

#[tokio::test]
async fn an_attempt_never_starts_before_its_job_was_queued() {
    for store in databases().await {
        // Enqueued by a node whose clock is ahead.
        let fast = store.database_now().await.expect("the database tells the time").plus(OFF);
        enqueue(&store, &job(), fast).await;
        let leased = claim_at(&store, fast).await;
        assert_eq!((leased.queued_at, leased.started_at), (fast, fast));
        assert!(leased.lease_until < fast, "the lease is of the database's clock");
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_for_the_claim_is_no_part_of_the_lease() {
    let url = postgres_database().await;
    let store = open(&url).await;
    let now = store.database_now().await.expect("the database tells the time");
    enqueue(&store, &job(), now).await;
    let mut holder = PgConnection::connect(&url).await.expect("the server answers");
    holder.execute("BEGIN; UPDATE queue_claim SET epoch = epoch + 1").await.expect("the rows can be held");
    let claiming = tokio::spawn({
        let store = Arc::clone(&store);
        async move { claim_at(&store, now).await }
    });
    let waiting = "SELECT (SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))) AS waiting,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms";
    let looker = tokio::sync::Mutex::new(holder);
    // It is held until the claim has waited for some time by the database's clock.
    let held_until = now.plus(DurationMs(400));
    eventually("the claim has waited", || async {
        let row = sqlx::query(waiting).fetch_one(&mut *looker.lock().await).await.expect("answers");
        row.get::<i64, _>("waiting") > 0 && row.get::<i64, _>("now_ms") > held_until.0
    })
    .await;
    looker.into_inner().execute("COMMIT").await.expect("the rows are let go");
    let leased = claiming.await.expect("the claim ends well");
    assert!(leased.started_at > held_until, "{leased:?} began while the claim waited");
    assert_eq!(leased.lease_until, leased.started_at.plus(LEASE));
    store.close().await;
}

/// A heartbeat writes to the row of the job and to no index: the new version of the row stays on its page (HOT).
#[tokio::test]
async fn i06_a_heartbeat_writes_to_no_index() {
    let url = postgres_database().await;
    let store = open(&url).await;
    let now = store.database_now().await.expect("the database tells the time");
    enqueue(&store, &job(), now).await;
    let leased = claim_at(&store, now).await;
    let beats = 50;
    for beat in 0..beats {
        let progress = Some(format!("{{\"beat\": {beat}}}"));
        let renewal = LeaseExtension { lease: leased.lease(), extend: None, progress };
        let renewed = store.extend_leases(&[renewal], now).await.expect("a heartbeat works");
        assert!(matches!(renewed[..], [LeaseAnswer::Ok(_)]), "{renewed:?}");
    }
    store.close().await;
    let connection = PgConnection::connect(&url).await.expect("the server answers");
    let connection = tokio::sync::Mutex::new(connection);
    let text = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'job'";
    // Sessions tell the statistics what they did at their end at the latest.
    eventually("heartbeats are HOT, but for some that find no room on the page", || async {
        let row = sqlx::query(text).fetch_one(&mut *connection.lock().await).await.expect("answers");
        let (all, hot) = (row.get::<i64, _>(0), row.get::<i64, _>(1));
        // The claim is the one that writes to indexes.
        all > beats && hot >= beats * 4 / 5
    })
    .await;
    let text = "SELECT count(*) FROM pg_indexes WHERE tablename = 'job' AND indexdef LIKE '%lease_until%'";
    let row = sqlx::query(text).fetch_one(&mut *connection.lock().await).await.expect("answers");
    assert_eq!(row.get::<i64, _>(0), 0, "an index has what heartbeats change");
}

/// A version before this one writes leases without saying when they are to be looked at.
#[tokio::test]
async fn leases_of_a_former_version_are_found_when_they_end() {
    let url = postgres_database().await;
    let store = open(&url).await;
    let now = store.database_now().await.expect("the database tells the time");
    enqueue(&store, &job(), now).await;
    let leased = claim_at(&store, now).await;
    let mut connection = PgConnection::connect(&url).await.expect("the server answers");
    connection.execute("UPDATE job SET reap_at = 0").await.expect("it can be changed");
    assert_eq!(store.expired_leases(now, 10).await.expect("answers"), vec![], "it has not ended");
    let row = connection.fetch_one("SELECT reap_at = lease_until FROM job").await.expect("it is there");
    assert!(row.get::<bool, _>(0), "it is looked at when it ends");
    connection.execute("UPDATE job SET reap_at = 0, lease_until = 1").await.expect("it can be changed");
    let found = store.expired_leases(now, 10).await.expect("answers");
    assert_eq!(found.iter().map(|lease| lease.leased.lease).collect::<Vec<_>>(), [leased.lease()]);
    store.close().await;
}
