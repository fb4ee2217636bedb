//! Connections that fail: commits, disks, frozen nodes and silence, with a look inside.

use std::sync::Arc;
use std::time::Duration;

use domain::access::TenantScope;
use domain::build::WorkerBuild;
use domain::names::{TENANT_DEFAULT, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use store::access::AccessStore as _;
use store::conformance::fixture::{T0, job};
use store::jobs::{ClaimRequest, JobStore as _, NewJob};
use store::{Store as _, StoreError};
use testkit::database::postgres_database;
use testkit::pg_proxy::{Act, Message, PgProxy, Way};

use crate::options::{Pooler, StoreOptions, Synchronous, TimeSource};
use crate::sql::Sql;
use crate::store::SqlStore;

/// No case waits longer for anything.
const DEADLINE: Duration = Duration::from_secs(20);

async fn open(url: &str) -> Arc<SqlStore> {
    let options = StoreOptions {
        url: url.to_owned(),
        connections_max: 2,
        synchronous: Synchronous::Normal,
        migrate: true,
        pooler: Pooler::Session,
        listen_url: None,
        schema: "public".to_owned(),
        statement_timeout: Duration::from_secs(4),
        lease_time: TimeSource::Caller,
        limits: Vec::new(),
    };
    SqlStore::connect(&options).await.expect("the database can be opened")
}

/// A job that takes the way of a transaction.
fn keyed(key: &str) -> NewJob {
    NewJob { unique_key: Some(domain::names::CallerKey::trusted(key)), ..job() }
}

async fn fail_commits(store: &SqlStore, count: u32) {
    let mut writer = store.pool().write().lender().lend().await.expect("the writer is free");
    writer.fail_commits(count).await.expect("the writer answers");
}

async fn enqueue(store: &SqlStore, new: &NewJob) -> store::StoreResult<()> {
    store.enqueue(std::slice::from_ref(new), T0).await.map(|_| ())
}

async fn is_there(store: &SqlStore, new: &NewJob) -> bool {
    store.job(&TenantScope::All, new.id).await.expect("reads go on").is_some()
}

fn claim(now: Timestamp) -> ClaimRequest {
    ClaimRequest {
        build: WorkerBuild::Any,
        queue: QueueName::Node,
        tenant: None,
        job_types: None,
        jobs_max: 1,
        lease: DurationMs::from_secs(30),
        worker_id: WorkerId::trusted("w"),
        others: Vec::new(),
        tokens: vec![store::conformance::fixture::token()],
        now,
    }
}

/// After a commit that failed everything goes on, and what is acknowledged then stays.
async fn goes_on_after_failed_commits(store: &SqlStore) -> Vec<NewJob> {
    let mut kept = Vec::new();
    for round in 0..3 {
        // The first of a transaction, the second of a single statement.
        for failed in [keyed(&format!("lost-{round}")), job()] {
            fail_commits(store, 1).await;
            enqueue(store, &failed).await.expect_err("the commit fails");
            assert!(!is_there(store, &failed).await);
            let kept_now = [keyed(&format!("kept-{round}-{}", kept.len())), job()];
            for new in kept_now {
                enqueue(store, &new).await.expect("the next call works");
                assert!(is_there(store, &new).await, "what was acknowledged can be read by others");
                kept.push(new);
            }
        }
    }
    let claimed = store.claim(&claim(T0)).await.expect("claims work");
    assert_eq!(claimed.len(), 1);
    kept
}

#[tokio::test]
async fn i01_a_failed_commit_takes_nothing_else_along_in_a_file() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let url = format!("sqlite://{}", directory.path().join("t.db").display());
    let store = open(&url).await;
    let kept = goes_on_after_failed_commits(&store).await;
    store.close().await;
    drop(store);
    let again = open(&url).await;
    for new in &kept {
        assert!(is_there(&again, new).await, "what was acknowledged survives");
    }
}

#[tokio::test]
async fn a_failed_commit_takes_nothing_else_along_in_memory() {
    let store = open("sqlite::memory:").await;
    let kept = goes_on_after_failed_commits(&store).await;
    for new in &kept {
        assert!(is_there(&store, new).await);
    }
}

#[tokio::test]
async fn i01_a_full_disk_is_said_with_its_room_and_heals() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let url = format!("sqlite://{}", directory.path().join("t.db").display());
    let store = open(&url).await;
    let mut kept = Vec::new();
    for is_keyed in [true, false] {
        // No page more than there are: the next that is needed finds the disk full.
        sea_orm::ConnectionTrait::execute_unprepared(store.pool().write(), "PRAGMA max_page_count = 1")
            .await
            .expect("the writer answers");
        let mut number = 0;
        let (refused, lost) = loop {
            let large = "x".repeat(20_000);
            let data = format!("{{\"large\": \"{large}\"}}");
            number += 1;
            let unique_key = is_keyed.then(|| domain::names::CallerKey::trusted(format!("large-{number}")));
            let new = NewJob { data, unique_key, ..job() };
            match enqueue(&store, &new).await {
                Ok(()) => kept.push(new),
                Err(error) => break (error, new),
            }
            assert!(number < 1_000, "the disk is never full");
        };
        assert!(!is_there(&store, &lost).await, "nothing is half written, and reads go on");
        let StoreError::Full { room: Some(room), .. } = &refused else {
            panic!("the disk is full, and the store says {refused:?}");
        };
        assert!(refused.is_retryable() && room.needed_bytes > 0);
        // A new connection has no such bound, as a disk on which somebody made room.
        let new = keyed(&format!("healed-{is_keyed}"));
        enqueue(&store, &new).await.expect("it heals without a restart");
        kept.push(new);
    }
    for new in &kept {
        assert!(is_there(&store, new).await, "what was acknowledged is there");
    }
}

/// A server that says what PostgreSQL says of a full disk, until that is over.
#[tokio::test]
async fn i01_a_full_disk_of_postgres_is_said_and_heals() {
    let url = postgres_database().await;
    let store = open(&url).await;
    let mut server = PgConnection::connect(&url).await.expect("the server answers");
    let fills = "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE disk_full; END $$;
        CREATE TRIGGER fill BEFORE INSERT ON job FOR EACH ROW EXECUTE FUNCTION fill()";
    server.execute(fills).await.expect("the role may change its tables");
    // Of a transaction, and of a single statement.
    for new in [keyed("full"), job()] {
        let refused = enqueue(&store, &new).await.expect_err("there is no room");
        assert!(matches!(refused, StoreError::Full { .. }) && refused.is_retryable(), "{refused:?}");
        assert!(!is_there(&store, &new).await, "nothing is half written, and reads go on");
    }
    server.execute("DROP TRIGGER fill ON job").await.expect("the role may change its tables");
    for new in [keyed("full"), job()] {
        enqueue(&store, &new).await.expect("it heals without a restart");
        assert!(is_there(&store, &new).await);
    }
}

#[tokio::test]
async fn a_transaction_that_is_dropped_is_undone_and_its_connection_used_again() {
    let store = open("sqlite::memory:").await;
    let transaction = store.pool().begin().await.expect("the connection is free");
    drop(transaction);
    let new = keyed("next");
    enqueue(&store, &new).await.expect("the connection comes back");
    assert!(is_there(&store, &new).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_node_with_the_claims_row_stops_others_for_a_moment() {
    let url = postgres_database().await;
    let (frozen, other) = (open(&url).await, open(&url).await);
    enqueue(&other, &job()).await.expect("enqueue works");
    let transaction = frozen.pool().begin().await.expect("the server answers");
    crate::claim_row::bump_epoch(&transaction, &[QueueName::Node]).await.expect("the row is free");
    // From here on it does nothing, as a process that was stopped.
    let claimed =
        tokio::time::timeout(DEADLINE, other.claim(&claim(T0))).await.expect("nobody waits for ever");
    assert_eq!(claimed.expect("the claim is tried again").len(), 1);
    let undone = crate::pool::commit(transaction).await.expect_err("its session was ended");
    assert!(undone.is_retryable(), "{undone:?}");
}

/// A statement by itself: one of a transaction that was never committed is known not to happen.
static ALONE: Sql = Sql::new("insert_tenant_alone", "INSERT INTO tenant (name, created_at) VALUES ($1, $2)");

fn named(tenant: &str) -> Vec<sea_orm::Value> {
    vec![tenant.into(), T0.0.into()]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_statement_whose_answer_is_lost_has_an_unknown_outcome() {
    for act in [Act::Cut, Act::Silence] {
        let proxy = PgProxy::start(&postgres_database().await).await;
        let store = open(&proxy.url()).await;
        let lost = proxy.arm(Way::ToClient, Message::Answered("INSERT"), act);
        let made = tokio::time::timeout(DEADLINE, ALONE.run(store.pool().write(), named("late"))).await;
        let made = made.expect("no statement waits for ever");
        lost.struck().await;
        assert!(matches!(made, Err(StoreError::Unknown { .. })), "{made:?}");
        let late = TenantName::trusted("late");
        assert!(!store.create_tenant(&late, T0).await.expect("new connections work"), "it is there");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_given_up_does_not_happen_later() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let store = open(&proxy.url()).await;
    // As on a server whose clock was set back: its own timeouts do not come.
    let write = store.pool().write();
    let off = "SET statement_timeout = 0; SET lock_timeout = 0";
    sea_orm::ConnectionTrait::execute_unprepared(write, off).await.expect("the server answers");
    ALONE.run(write, named(TENANT_DEFAULT)).await.expect("the statement is prepared");
    let mut holder = PgConnection::connect(&url).await.expect("the server answers");
    holder.execute("BEGIN; LOCK TABLE tenant").await.expect("the role may lock its tables");
    let made = tokio::time::timeout(DEADLINE, ALONE.run(write, named("late"))).await;
    let made = made.expect("no statement waits for ever");
    assert!(matches!(made, Err(StoreError::Unknown { .. })), "{made:?}");
    // Of this database: other tests wait on the same server.
    let waits = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE NOT l.granted AND d.datname = current_database()";
    let row = holder.fetch_one(waits).await;
    let waiting: i64 = row.expect("the server answers").get(0);
    assert_eq!(waiting, 0, "the session that waits was ended before the outcome was said to be unknown");
    holder.execute("COMMIT").await.expect("the server answers");
    let row = holder.fetch_one("SELECT count(*) FROM tenant WHERE name = 'late'").await;
    assert_eq!(row.expect("the server answers").get::<i64, _>(0), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_commit_is_unknown() {
    let url = postgres_database().await;
    let proxy = PgProxy::start(&url).await;
    let store = open(&proxy.url()).await;
    let transaction = store.pool().begin().await.expect("the server answers");
    crate::claim_row::bump_epoch(&transaction, &[QueueName::Node]).await.expect("the row is free");
    let silent = proxy.arm(Way::ToClient, Message::Answered("COMMIT"), Act::Silence);
    let committed = tokio::time::timeout(DEADLINE, crate::pool::commit(transaction)).await;
    silent.struck().await;
    let committed = committed.expect("no commit waits for ever");
    assert!(matches!(committed, Err(StoreError::Unknown { .. })), "{committed:?}");
    store.database_now().await.expect("other connections work");
}
