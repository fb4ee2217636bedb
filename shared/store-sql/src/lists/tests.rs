//! Lists that hang and lists whose callers leave, on both databases.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use domain::access::TenantScope;
use domain::job_log::LogLevel;
use domain::names::TenantName;
use domain::quota::QuotaKind;
use domain::search::{Search, SearchList};
use sea_orm::{ConnectionTrait as _, Statement};
use sqlx::{Connection as _, Executor as _, PgConnection};
use store::conformance::fixture::{self, T0, claim_nodes, job};
use store::job_logs::{JobLogStore as _, LogsOf};
use store::jobs::JobStore as _;
use store::search::{Found, SearchPage, SearchStore as _};
use store::usage::UsageStore as _;
use store::{StoreError, StoreResult};
use testkit::database::{options, postgres_database};
use testkit::eventually;

use crate::errors::is_broken_connection;
use crate::options::ListOptions;
use crate::retry::{RetryBudget, with_retry};
use crate::sql::Sql;
use crate::store::SqlStore;

async fn open(url: &str, connections_max: u32, timeout: Duration) -> Arc<SqlStore> {
    let lists = ListOptions { connections_max, timeout };
    SqlStore::connect_with(&own_options(url), lists).await.expect("a new database can be opened")
}

/// `testkit` has been built with this crate as others see it, so its options are of another type here.
fn own_options(url: &str) -> crate::options::StoreOptions {
    let known = options(url, &[]);
    crate::options::StoreOptions {
        url: known.url,
        connections_max: 2,
        synchronous: crate::options::Synchronous::Normal,
        migrate: true,
        pooler: crate::options::Pooler::Session,
        listen_url: None,
        schema: known.schema,
        statement_timeout: known.statement_timeout,
        limits: Vec::new(),
        lease_time: crate::options::TimeSource::Caller,
    }
}

async fn executions(store: Arc<SqlStore>) -> StoreResult<Found> {
    let page = SearchPage { limit: 50, after: None };
    store.search(&TenantScope::All, &Search::all(SearchList::Executions), page).await
}

/// A session in whose transaction nobody can read executions and lines of jobs.
async fn held_back(url: &str) -> PgConnection {
    let mut connection = PgConnection::connect(url).await.expect("the test server answers");
    let hold = "BEGIN; LOCK TABLE execution, job_log IN ACCESS EXCLUSIVE MODE";
    connection.execute(hold).await.expect("the role may lock its tables");
    connection
}

/// How many statements wait for a lock.
async fn waiting(url: &str) -> i64 {
    let mut connection = PgConnection::connect(url).await.expect("the test server answers");
    let text = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let count = sqlx::query_scalar(text).fetch_one(&mut connection).await.expect("the test server answers");
    connection.close().await.expect("a connection can be closed");
    count
}

#[tokio::test]
async fn lists_that_hang_leave_claims_alone_and_the_next_is_unavailable() {
    let url = postgres_database().await;
    // Long enough for all of them to wait at once, however long it takes to open connections.
    let store = open(&url, 3, Duration::from_secs(8)).await;
    store.enqueue(&[job()], T0).await.expect("enqueue works");
    let held = held_back(&url).await;
    let hanging: Vec<_> = (0..24).map(|_| tokio::spawn(executions(Arc::clone(&store)))).collect();
    eventually("the lists fill their pool", || async { waiting(&url).await == 3 }).await;
    assert_eq!(claim_nodes(&*store, 1, T0).await.len(), 1, "claims have connections of their own");
    let next = executions(Arc::clone(&store)).await;
    assert!(matches!(next, Err(StoreError::Unavailable { .. })), "{next:?}");
    for list in hanging {
        let answer = list.await.expect("no list panics");
        assert!(matches!(answer, Err(StoreError::Unavailable { .. })), "{answer:?}");
    }
    held.close().await.expect("a connection can be closed");
    eventually("lists are read again", || async { executions(Arc::clone(&store)).await.is_ok() }).await;
    store::Store::close(&*store).await;
}

/// Asks two dozen times for something that nobody can read, and claims beside it.
async fn leaves_claims_alone<F>(ask: impl Fn(Arc<SqlStore>) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let url = postgres_database().await;
    let store = open(&url, 3, Duration::from_secs(8)).await;
    store.enqueue(&[job()], T0).await.expect("enqueue works");
    let held = held_back(&url).await;
    let hanging: Vec<_> = (0..24).map(|_| tokio::spawn(ask(Arc::clone(&store)))).collect();
    eventually("they fill the pool of lists", || async { waiting(&url).await == 3 }).await;
    assert_eq!(claim_nodes(&*store, 1, T0).await.len(), 1, "claims have connections of their own");
    hanging.iter().for_each(tokio::task::JoinHandle::abort);
    eventually("statements end when their callers leave", || async { waiting(&url).await == 0 }).await;
    held.close().await.expect("a connection can be closed");
    store::Store::close(&*store).await;
}

/// What a tenant uses is counted over all that is open.
#[tokio::test]
async fn usage_that_hangs_leaves_claims_alone() {
    leaves_claims_alone(|store| async move {
        drop(store.shown_usage(&TenantName::trusted("a"), QuotaKind::OpenExecutions).await);
    })
    .await;
}

/// Lines below the level that is asked for are passed over.
#[tokio::test]
async fn logs_that_hang_leave_claims_alone() {
    leaves_claims_alone(|store| async move {
        let of = LogsOf::Execution(fixture::id());
        drop(store.list_logs(&TenantScope::All, of, LogLevel::Warn, None, 50).await);
    })
    .await;
}

#[tokio::test]
async fn a_list_ends_when_its_caller_leaves_on_postgres() {
    let url = postgres_database().await;
    // It would not end by itself within the test.
    let store = open(&url, 1, Duration::from_mins(10)).await;
    let held = held_back(&url).await;
    for _ in 0..3 {
        let list = tokio::spawn(executions(Arc::clone(&store)));
        eventually("the list waits", || async { waiting(&url).await == 1 }).await;
        list.abort();
        eventually("its statement has ended", || async { waiting(&url).await == 0 }).await;
    }
    held.close().await.expect("a connection can be closed");
    executions(Arc::clone(&store)).await.expect("its place is free again, and the connection in it is clean");
    store::Store::close(&*store).await;
}

/// Would never end by itself.
const ENDLESS: &str = "WITH RECURSIVE c(x) AS (SELECT count(*) FROM job UNION ALL SELECT x + 1 FROM c)
                       SELECT count(*) AS number FROM c";

static ENDLESS_LIST: Sql = Sql::new("endless_list", ENDLESS);

static CHECKPOINT: Sql = Sql::new("checkpoint", "PRAGMA wal_checkpoint(PASSIVE)");

/// Whether no read is under way in a SQLite file: what is written now can be copied out of the log at once.
async fn is_quiet(store: &SqlStore) -> bool {
    store.enqueue(&[job()], T0).await.expect("enqueue works");
    let row = CHECKPOINT.first(store.pool().write(), vec![]).await.expect("the file is there");
    let row = row.expect("a checkpoint answers");
    let number = |column| row.try_get::<i64>("", column).expect("a number");
    number("log") == number("checkpointed")
}

#[tokio::test]
async fn a_list_ends_when_its_caller_leaves_or_it_takes_too_long_on_sqlite() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let url = format!("sqlite://{}", directory.path().join("lists.db").display());
    let read = |store: Arc<SqlStore>| async move {
        let lists = store.pool().lists();
        let statement = Statement::from_string(lists.get_database_backend(), ENDLESS);
        lists.query_all_raw(statement).await.map(|_| ())
    };
    let store = open(&url, 1, Duration::from_mins(10)).await;
    let list = tokio::spawn(read(Arc::clone(&store)));
    eventually("the list reads", || async { !is_quiet(&store).await }).await;
    list.abort();
    eventually("its statement has ended", || async { is_quiet(&store).await }).await;
    executions(Arc::clone(&store)).await.expect("its place is free again");
    store::Store::close(&*store).await;
    drop(store);

    let store = open(&url, 1, Duration::from_millis(100)).await;
    read(Arc::clone(&store)).await.expect_err("a list has a deadline");
    eventually("its statement has ended", || async { is_quiet(&store).await }).await;
    store::Store::close(&*store).await;
}

/// Waits until a list is answered: a connection that is open is lent without waiting.
async fn has_connection(store: &SqlStore) {
    let lists = store.pool().lists();
    let statement = Statement::from_string(lists.get_database_backend(), "SELECT 1");
    eventually("a connection for lists is open", || async {
        lists.query_all_raw(statement.clone()).await.is_ok()
    })
    .await;
}

/// It would take as long again, on the few connections that lists have.
#[tokio::test]
async fn a_list_that_takes_too_long_is_not_read_again_on_sqlite() {
    let directory = tempfile::tempdir().expect("the temporary directory can be written");
    let url = format!("sqlite://{}", directory.path().join("lists.db").display());
    let store = open(&url, 1, Duration::from_millis(100)).await;
    let lists = store.pool().lists();
    let statement = Statement::from_string(lists.get_database_backend(), ENDLESS);
    has_connection(&store).await;
    let error = lists.query_all_raw(statement).await.map(|_| ()).expect_err("a list has a deadline");
    assert!(!is_broken_connection(&error), "{error:?} would be asked again on another connection");
    has_connection(&store).await;
    let calls = Cell::new(0);
    let answer = with_retry(RetryBudget::repeatable(), || {
        calls.set(calls.get() + 1);
        ENDLESS_LIST.all(lists, vec![])
    })
    .await;
    let answer = answer.map(|rows| rows.len());
    assert!(matches!(answer, Err(StoreError::Unavailable { .. })), "{answer:?}");
    assert_eq!(calls.get(), 1, "it was read again");
    eventually("its statement has ended", || async { is_quiet(&store).await }).await;
    store::Store::close(&*store).await;
}
