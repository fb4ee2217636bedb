//! Processes that end: the next owner of a file, and the other processes on a server, take back what their pools leased. What
//! workers lease that poll through a process is theirs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::lease_watch::LOST_AFTER;
use domain::names::WorkerId;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use store::Store as _;
use store::conformance::fixture::{T0, claim, job, uuid};
use store::jobs::{ClaimRequest, ClaimedJob, JobStore as _};
use store::operations::{LostNodes, NodeRecord, NodeStore as _};
use testkit::database::postgres_database;
use testkit::eventually;

use crate::SqlStore;
use crate::options::{Pooler, StoreOptions, Synchronous, TimeSource};

const NOBODY: LostNodes = LostNodes { nodes: 0, leases: 0 };
const SOON: Timestamp = Timestamp(T0.0 + 1);

async fn open(url: &str) -> Arc<SqlStore> {
    let options = StoreOptions {
        url: url.to_owned(),
        connections_max: 4,
        synchronous: Synchronous::Normal,
        migrate: true,
        pooler: Pooler::Session,
        listen_url: None,
        schema: "public".to_owned(),
        statement_timeout: Duration::from_secs(10),
        limits: Vec::new(),
        lease_time: TimeSource::Caller,
    };
    SqlStore::connect(&options).await.expect("the database can be opened")
}

fn node(name: &str) -> NodeRecord {
    NodeRecord { nonce: uuid(), pools: vec![WorkerId::trusted(name), WorkerId::trusted("other pool")] }
}

async fn claim_as(store: &SqlStore, worker: &str) -> ClaimedJob {
    store.enqueue(&[job()], T0).await.expect("enqueue works");
    let request = ClaimRequest { worker_id: WorkerId::trusted(worker), ..claim(QueueName::Node, 1, T0) };
    store.claim(&request).await.expect("claim works").remove(0)
}

/// Only what the pool leased has ended.
async fn only_the_pools_lease_ended(store: &SqlStore, pools: &ClaimedJob) {
    let ended = store.expired_leases(SOON, 10).await.expect("read works");
    assert_eq!(ended.iter().map(|lease| lease.leased.lease).collect::<Vec<_>>(), [pools.lease()]);
}

#[tokio::test]
async fn the_next_owner_of_a_file_takes_back_what_the_one_before_leased() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let url = format!("sqlite://{}", directory.path().join("t.db").display());
    let first = open(&url).await;
    assert_eq!(first.begin_node(&node("pool"), T0).await.expect("it begins"), NOBODY);
    let (pools, _others) = (claim_as(&first, "pool").await, claim_as(&first, "external").await);
    assert_eq!(first.end_lost_nodes(T0).await.expect("a look works"), NOBODY);
    first.close().await;
    drop(first);
    let next = open(&url).await;
    assert_eq!(next.expired_leases(SOON, 10).await.expect("read works"), []);
    let lost = next.begin_node(&node("pool of the next"), T0).await.expect("it begins");
    assert_eq!(lost, LostNodes { nodes: 1, leases: 1 });
    only_the_pools_lease_ended(&next, &pools).await;
    let again = next.begin_node(&node("pool of the next"), T0).await.expect("it begins");
    assert_eq!(again, LostNodes { nodes: 1, leases: 0 }, "once");
}

#[tokio::test]
async fn a_lease_from_a_clock_that_was_ahead_is_shortened_by_the_next_owner() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let url = format!("sqlite://{}", directory.path().join("t.db").display());
    let first = open(&url).await;
    let leased = claim_as(&first, "external").await;
    first.close().await;
    drop(first);
    let next = open(&url).await;
    let earlier = T0.minus(DurationMs::from_secs(7_200));
    next.begin_node(&node("pool"), earlier).await.expect("it begins");
    let ended = next.expired_leases(earlier.plus(DurationMs::from_secs(31)), 10).await.expect("read works");
    assert_eq!(ended.iter().map(|lease| lease.leased.lease).collect::<Vec<_>>(), [leased.lease()]);
}

/// Two processes on one server, the first with a session that the server knows.
async fn two(url: &str) -> (Arc<SqlStore>, Arc<SqlStore>) {
    let (first, second) = (open(url).await, open(url).await);
    first.begin_node(&node("pool"), T0).await.expect("it begins");
    eventually("the process is known", || async { count(url, "SELECT count(*) FROM node").await == 1 }).await;
    (first, second)
}

async fn count(url: &str, text: &'static str) -> i64 {
    let mut connection = PgConnection::connect(url).await.expect("the server answers");
    let row = connection.fetch_one(text).await.expect("the statement is valid");
    row.get(0)
}

/// Looks for longer than a process has to be away.
async fn nobody_is_lost(store: &SqlStore) {
    let until = Instant::now() + LOST_AFTER.to_std() + Duration::from_secs(1);
    eventually("more than the time that makes a process lost", || async {
        assert_eq!(store.end_lost_nodes(T0).await.expect("a look works"), NOBODY);
        Instant::now() > until
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_whose_session_ends_is_noticed() {
    let url = postgres_database().await;
    let (first, second) = two(&url).await;
    let (pools, _others) = (claim_as(&first, "pool").await, claim_as(&first, "external").await);
    assert_eq!(second.end_lost_nodes(T0).await.expect("a look works"), NOBODY, "it lives");
    first.close().await;
    let gone = Instant::now();
    eventually("its end is noticed", || async {
        let lost = second.end_lost_nodes(T0).await.expect("a look works");
        assert!(lost == NOBODY || gone.elapsed() >= LOST_AFTER.to_std(), "after {:?}", gone.elapsed());
        lost == LostNodes { nodes: 1, leases: 1 }
    })
    .await;
    only_the_pools_lease_ended(&second, &pools).await;
    assert_eq!(count(&url, "SELECT count(*) FROM node").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_breaks_and_comes_back_is_no_end() {
    let url = postgres_database().await;
    let (first, second) = two(&url).await;
    let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert_eq!(count(&url, cut).await, 1, "the session holds its lock");
    nobody_is_lost(&second).await;
    eventually("the session is back", || async { count(&url, cut).await == 1 }).await;
    drop(first);
}

/// After a failover, or a restart of the server, nobody knows what became of sessions before.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_server_saw_is_not_believed() {
    let url = postgres_database().await;
    let (first, second) = two(&url).await;
    claim_as(&first, "pool").await;
    first.close().await;
    let elsewhere =
        "WITH changed AS (UPDATE node SET server = server - 1 RETURNING 1) SELECT count(*) FROM changed";
    assert_eq!(count(&url, elsewhere).await, 1);
    nobody_is_lost(&second).await;
    assert_eq!(
        second.expired_leases(SOON, 10).await.expect("read works"),
        [],
        "the lease runs out in its time"
    );
}
